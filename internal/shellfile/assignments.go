package shellfile

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// FileBytes is the largest file of assignments that is read. ValueBytes is the longest value unless
// [AssignmentOptions.ValueBytes] sets another; it bounds variables that double themselves.
const (
	FileBytes  = 64 << 10
	ValueBytes = 4 << 10
)

// An Assignment is NAME=value.
type Assignment struct {
	Name  string
	Value string
	Line  int // counted from 1
}

// AssignmentOptions are what a file of assignments may contain; the zero value is strict.
type AssignmentOptions struct {
	// Lookup returns variables that are set outside the file; nil: there are none.
	Lookup func(name string) (value string, set bool)
	// Defaults allows ${NAME:-text}.
	Defaults bool
	// Lists allows NAME=(one two), whose value is the elements with blanks between.
	Lists bool
	// ValueBytes is how long a value may be; 0: ValueBytes.
	ValueBytes int
}

// ReadAssignments reads a file that is written as a shell script but is data, and passes each assignment
// to take, in order:
//
//	# settings of the project
//	export REGION="eu-1"
//	URL="https://$REGION.example.com"
//
// Nothing is run. The error joins one for each statement that is not an assignment of plain text and known
// variables, or that take refuses; they begin with name and line, as in "conf.sh:3: ". Text that cannot be
// parsed is one error, and nothing is taken.
func ReadAssignments(text []byte, name string, o AssignmentOptions, take func(Assignment) error) error {
	if len(text) > FileBytes {
		return fmt.Errorf("%s has %d bytes; at most %d are read", name, len(text), FileBytes)
	}
	file, err := ParseShell(text, syntax.LangBash)
	if broken, ok := errors.AsType[syntax.ParseError](err); ok {
		return fmt.Errorf("%s:%d: %s", name, broken.Pos.Line(), broken.Text)
	} else if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if o.ValueBytes == 0 {
		o.ValueBytes = ValueBytes
	}
	e := evaluator{AssignmentOptions: o, text: string(text), values: map[string]string{}, take: take}
	var errs []error
	for _, s := range file.Stmts {
		if err := e.statement(s); err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %w", name, s.Pos().Line(), err))
		}
	}
	return errors.Join(errs...)
}

// An evaluator evaluates the assignments of one file.
type evaluator struct {
	AssignmentOptions
	text   string
	values map[string]string // what was assigned
	take   func(Assignment) error
}

var (
	errCommand   = errors.New(`commands are not run; write NAME="value"`)
	errStatement = errors.New(`only assignments are allowed; write NAME="value"`)
	errForm      = errors.New(`unsupported form of assignment; write NAME="value"`)
)

// statement executes one statement, if it contains only assignments.
func (e evaluator) statement(s *syntax.Stmt) error {
	var assigns []*syntax.Assign
	exports := false
	switch command := s.Cmd.(type) {
	case *syntax.CallExpr:
		if len(command.Args) > 0 {
			return errCommand
		}
		assigns = command.Assigns
	case *syntax.DeclClause:
		if command.Variant.Value != "export" {
			return fmt.Errorf(`%s is not supported; write NAME="value"`, command.Variant.Value)
		}
		assigns, exports = command.Args, true
	default:
		return errStatement
	}
	if len(s.Redirs) > 0 || s.Background || s.Negated {
		return errStatement
	}
	for _, a := range assigns {
		if exports && a.Naked && a.Name != nil {
			if _, set := e.value(a.Name.Value); set {
				continue // export NAME, of a variable that is set
			}
		}
		if err := e.assign(a); err != nil {
			return err
		}
	}
	return nil
}

func (e evaluator) assign(a *syntax.Assign) error {
	if a.Name == nil || a.Naked || a.Append || a.Index != nil {
		return errForm
	}
	name := a.Name.Value
	value, err := e.evaluate(a)
	if err == nil {
		e.values[name] = value
		err = e.take(Assignment{name, value, int(a.Pos().Line())})
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// value returns the value of a variable, set in the file or outside.
func (e evaluator) value(name string) (value string, set bool) {
	value, set = e.values[name]
	if !set && e.Lookup != nil {
		value, set = e.Lookup(name)
	}
	return value, set
}

// evaluate returns the value of an assignment.
func (e evaluator) evaluate(a *syntax.Assign) (string, error) {
	var parts []*syntax.Word
	if a.Value != nil {
		parts = append(parts, a.Value)
	}
	if a.Array != nil {
		if !e.Lists {
			return "", errors.New("lists are not allowed here; write a single text")
		}
		for _, element := range a.Array.Elems {
			if element.Index != nil || element.Value == nil {
				return "", errors.New("write the list as (one two)")
			}
			parts = append(parts, element.Value)
		}
	}
	known := expand.FuncEnviron(func(name string) string {
		value, _ := e.value(name)
		return value
	})
	var out []string
	for _, word := range parts {
		if err := e.check(word); err != nil {
			return "", err
		}
		text, err := expand.Literal(&expand.Config{Env: known}, word)
		if err != nil {
			return "", err
		}
		out = append(out, text)
	}
	value := strings.Join(out, " ")
	if len(value) > e.ValueBytes {
		return "", fmt.Errorf("the value is longer than %d bytes", e.ValueBytes)
	}
	return value, nil
}

// plain is $NAME or ${NAME}, and fallback the beginning of ${NAME:-text}.
var (
	plain    = lazyregexp.New(`^\$(\{[A-Za-z_][A-Za-z0-9_]*\}|[A-Za-z_][A-Za-z0-9_]*)$`)
	fallback = lazyregexp.New(`^\$\{[A-Za-z_][A-Za-z0-9_]*:-`)
)

// check refuses everything but plain text and variables that are set.
func (e evaluator) check(word *syntax.Word) (err error) {
	syntax.Walk(word, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Word:
			n.Parts = unescaped(n.Parts)
			return err == nil
		case nil, *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted:
			return err == nil
		case *syntax.ParamExp:
			if err == nil {
				err = e.checkVariable(n)
			}
		default:
			err = fmt.Errorf("%s is not evaluated; write plain text", e.source(n))
		}
		return false
	})
	return err
}

// unescaped converts text after a backslash to quoted text, since the expansion of a single word
// would keep the backslash.
func unescaped(parts []syntax.WordPart) []syntax.WordPart {
	var all []syntax.WordPart
	for _, part := range parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			all = append(all, part)
			continue
		}
		text := lit.Value
		for {
			before, after, found := strings.Cut(text, `\`)
			if before != "" {
				all = append(all, &syntax.Lit{ValuePos: lit.ValuePos, ValueEnd: lit.ValueEnd, Value: before})
			}
			if !found || after == "" {
				break
			}
			_, size := utf8.DecodeRuneInString(after)
			all = append(all, &syntax.SglQuoted{Left: lit.ValuePos, Right: lit.ValueEnd, Value: after[:size]})
			text = after[size:]
		}
	}
	return all
}

func (e evaluator) checkVariable(n *syntax.ParamExp) error {
	source := e.source(n)
	switch {
	case e.Defaults && fallback.Get().MatchString(source):
		if n.Exp.Word == nil {
			return nil
		}
		return e.check(n.Exp.Word)
	case !plain.Get().MatchString(source):
		return fmt.Errorf("%s is not supported; write plain text or $NAME", source)
	}
	if _, set := e.value(n.Param.Value); !set {
		where := "in this file"
		if e.Lookup != nil {
			where = "here"
		}
		return fmt.Errorf("$%s is not set %s; write '$' for a dollar sign", n.Param.Value, where)
	}
	return nil
}

// source returns a part of the file as written.
func (e evaluator) source(n syntax.Node) string { return e.text[n.Pos().Offset():n.End().Offset()] }
