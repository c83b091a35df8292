package adopt

import (
	"slices"
	"strings"
)

// A spec is what a call of a library that reads options says of one of them, or of an argument.
type spec struct {
	Option
	names    []string
	optional bool // it may be left out, by the number of its values
	given    bool // the call says whether it is required
	on       bool // it is on unless it is said otherwise
	help     bool // it prints help or the version
}

// types maps the names of types to those of JSON.
var types = map[string]string{
	"int": "integer", "INT": "integer", "IntRange": "integer", "parseInt": "integer", "Integer": "integer",
	"float": "number", "FLOAT": "number", "FloatRange": "number", "number": "number", "parseFloat": "number",
	"Number": "number", "Float": "number", "Numeric": "number",
	"BOOL": "boolean", "boolean": "boolean", "count": "boolean",
}

// texts are types whose values are texts.
const texts = "str string STRING Path PurePath File FileType DateTime UUID Choice Tuple array"

// says adds what an argument of the call says, by the names that argparse, click, yargs, meow and parseArgs use.
func (p *calls) says(s *spec, a argument) {
	text, isText := a.text()
	word := a.word()
	yes := strings.EqualFold(word, "true")
	switch a.name {
	case "":
		s.names = append(s.names, text)
	case "help", "describe", "description", "desc":
		if s.Help = strings.Join(strings.Fields(text), " "); !isText && word != "SUPPRESS" {
			p.doubt(s.Line, "help that is not a literal")
		}
	case "dest":
		s.Variable = text
	case "alias", "short", "shortFlag":
		if len(text) == 1 {
			s.Short = "-" + text
		}
	case "type":
		if isText {
			word = text
		}
		s.List = s.List || word == "array"
		if at := slices.IndexFunc(a.value, func(t token) bool { return t.text == "Choice" }); at >= 0 {
			inner := a.value[at+1:]
			if len(inner) > 1 && inner[1].kind == tokenSign && inner[1].text != "(" { // Choice(["a", "b"])
				inner = inner[1:]
			}
			if end := ending(inner); end > 0 {
				s.Enum, _ = argument{value: inner[:end+1]}.list()
			}
			return
		}
		switch s.Type = types[word]; {
		case word == "bool" && !s.Takes: // of a flag
		case word == "bool": // any text but the empty one is True
			p.doubt(s.Line, "type=bool is true for every text")
		case s.Type == "" && !oneOf(texts, word):
			p.doubt(s.Line, "type="+word+" is treated as a text")
		case s.Type == "boolean":
			s.Takes = false
		}
	case "choices":
		var ok bool
		if s.Enum, ok = a.list(); !ok {
			p.doubt(s.Line, "choices that are not literals")
		}
	case "default":
		value, ok := a.scalar()
		s.Default, s.on = value, yes
		if !ok && !oneOf("None False True false true undefined null SUPPRESS", word) && !isEmptyList(a) {
			p.doubt(s.Line, "a default that is not a literal")
		}
	case "required", "demandOption", "demand", "isRequired":
		s.Required, s.given = yes, true
	case "prompt":
		s.Required = yes || isText // nobody answers
	case "is_flag", "boolean", "count":
		s.Takes = s.Takes && !yes
	case "number":
		s.Type = types["number"]
	case "multiple", "isMultiple", "array":
		s.List = s.List || yes
	case "nargs":
		switch value, _ := a.scalar(); value {
		case "?":
			s.optional = true
		case "*", "-1":
			s.List, s.row, s.optional = true, true, true
		case "+":
			s.List, s.row = true, true
		case "1":
		default:
			s.List, s.row, s.optional = true, true, word == "REMAINDER"
			if word != "REMAINDER" {
				p.doubt(s.Line, "nargs="+value+" takes a fixed number of values")
			}
		}
	case "action":
		switch text {
		case "store_true", "store_false", "store_const":
			s.Takes = false
		case "append", "extend":
			s.List = true
		case "count":
			s.Takes = false
			p.doubt(s.Line, "an option that counts can be given once")
		case "help", "version":
			s.help = true
		case "store":
		default:
			if s.Takes = word != "BooleanOptionalAction"; s.Takes {
				p.doubt(s.Line, "an action that is not understood")
			}
		}
	}
}

// option finishes the option.
func (s *spec) option() Option {
	o := s.Option
	for _, name := range s.names {
		if strings.HasPrefix(name, "-") {
			o.addName(name)
		}
	}
	o.finish()
	return o
}

// finish sets what follows from the other properties of an option of a parser that takes --name=value.
func (o *Option) finish() {
	switch {
	case !o.Takes:
		o.Type, o.Default, o.List, o.Enum, o.Required = "boolean", "", false, nil, false
	case o.row:
	case strings.HasPrefix(o.Long, "--"):
		o.Style = Equals // so a value may begin with a dash
	case o.List:
		o.Style = Attached
	}
	if o.Takes && o.Type == "" {
		o.Type = "string"
	}
}

// both returns the option, and the one that switches it off if there is one.
func (o Option) both() []Option {
	if !o.negates {
		return []Option{o}
	}
	return []Option{o, {Long: "--no-" + strings.TrimPrefix(o.Long, "--"), negates: true, Value: o.Value}}
}

func isEmptyList(a argument) bool {
	return len(a.value) == 2 && (a.value[0].text == "[" || a.value[0].text == "(")
}
