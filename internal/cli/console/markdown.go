package console

import (
	"fmt"
	"math"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// Markdown prints a document on a terminal: headings are highlighted, paragraphs and tables are
// fitted to the terminal, and code stays as it is, so that it can be copied. It supports the subset
// of Markdown that documents of this project use.
func (c *Console) Markdown(document string) {
	p := page{columns: math.MaxInt, bare: !c.colour}
	if columns := c.columns(0); columns > 0 {
		p.columns = max(columns, leastColumns)
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(Plain(document), "\n"), "\n") {
		p.line(strings.ReplaceAll(line, "\t", "    "))
	}
	p.flush()
	fmt.Fprint(c.w, c.drawn(strings.TrimLeft(p.out.String(), "\n")))
}

// A style is represented by a control character, which has no width, until lines are wrapped; then
// it becomes an escape sequence, or nothing.
type style string

const (
	strong style = "\x01"
	code   style = "\x02"
	ended        = "\x03"
)

// drawn returns a text as it is printed, with or without colours.
func (c *Console) drawn(text string) string {
	bold, cyan, end := "\x1b[1m", "\x1b[36m", "\x1b[0m"
	if !c.colour {
		bold, cyan, end = "", "", ""
	}
	return strings.NewReplacer(string(strong), bold, string(code), cyan, ended, end).Replace(text)
}

func (s style) of(text string) string { return string(s) + text + ended }

// A page renders a document for a terminal. Lines of Markdown are collected until the end of the
// block that they belong to.
type page struct {
	columns int
	bare    bool // without colours, so the markup of headings and code stays
	out     strings.Builder
	code    bool       // in a block of code
	text    []string   // of a paragraph, or of an item
	first   string     // its prefix, as in "- "
	rows    [][]string // of a table
}

func (p *page) line(line string) {
	trimmed := strings.TrimLeft(line, " ")
	indent := line[:len(line)-len(trimmed)]
	switch {
	case strings.HasPrefix(trimmed, "```"):
		p.flush()
		p.code = !p.code
	case p.code:
		p.print("    " + line)
	case strings.HasPrefix(line, "<!--") && strings.HasSuffix(line, "-->"):
		p.flush()
	case trimmed == "":
		p.flush()
		if !strings.HasSuffix(p.out.String(), "\n\n") {
			p.print("")
		}
	case strings.HasPrefix(trimmed, "|"):
		if p.rows == nil {
			p.flush()
		}
		if p.rows == nil || strings.Trim(trimmed, "|:- ") != "" { // below the head there is a ruler
			p.rows = append(p.rows, p.cells(trimmed))
		}
	case strings.HasPrefix(line, "#"):
		p.flush()
		if !p.bare {
			line = strings.TrimLeft(line, "# ")
		}
		p.print(wrap("", "", strong.of(p.inline(line)), p.columns))
	case len(p.text) == 0 && len(indent) >= 4:
		p.print(line) // code
	default:
		if mark := item.Get().FindString(trimmed); mark != "" {
			p.flush()
			p.first, trimmed = indent+mark, trimmed[len(mark):]
		}
		p.text = append(p.text, trimmed)
	}
}

func (p *page) print(text string) { p.out.WriteString(strings.TrimRight(text, " ") + "\n") }

// flush prints what was collected.
func (p *page) flush() {
	if len(p.text) > 0 {
		next := strings.Repeat(" ", len(p.first))
		p.print(wrap(p.first, next, p.inline(strings.Join(p.text, " ")), p.columns))
	}
	if len(p.rows) > 0 {
		p.table()
	}
	p.text, p.first, p.rows = nil, "", nil
}

// table prints rows in columns; cells of the last column are wrapped. If the terminal is too narrow for that, each row
// is printed as a list of its cells.
func (p *page) table() {
	head, last := p.rows[0], len(p.rows[0])-1
	widths := make([]int, len(head))
	least := min(roomBeside, p.columns/2) // columns for the last cell, and at least its longest word
	for _, row := range p.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], uniseg.StringWidth(cell))
		}
		for word := range strings.FieldsSeq(row[last]) {
			least = max(least, uniseg.StringWidth(word))
		}
	}
	room := p.columns
	for _, width := range widths[:last] {
		room -= width + len(gap)
	}
	fits := room >= min(least, widths[last])
	for n, row := range p.rows {
		switch {
		case strings.Join(row, "") == "":
		case fits:
			left, mark := "", func(cell string) string { return cell }
			if n == 0 {
				mark = strong.of
			}
			for i, width := range widths[:last] {
				left += mark(row[i]) + strings.Repeat(" ", width-uniseg.StringWidth(row[i])) + gap
			}
			p.print(wrap(left, strings.Repeat(" ", uniseg.StringWidth(left)), mark(row[last]), p.columns))
		case n > 0:
			p.print(wrap("", gap, row[0], p.columns))
			for i, cell := range row[1:] {
				if cell != "" {
					p.print(wrap("    ", "      ", strings.TrimPrefix(head[i+1]+": ", ": ")+cell, p.columns))
				}
			}
		}
	}
}

// gap is between the columns of a table.
const gap = "  "

// cells splits a row at unescaped bars.
func (p *page) cells(row string) []string {
	row = strings.ReplaceAll(strings.TrimSpace(row), `\|`, "\x06")
	parts := strings.Split(strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|"), "|")
	for i, part := range parts {
		parts[i] = p.inline(strings.ReplaceAll(strings.TrimSpace(part), "\x06", "|"))
	}
	if p.rows != nil { // each row has as many cells as the head
		parts = append(parts, make([]string, len(p.rows[0]))...)[:len(p.rows[0])]
	}
	return parts
}

// inline renders the markup in a text: code, bold, and links. The address of a link is shown if it is
// on the web.
func (p *page) inline(text string) string {
	return markup.Get().ReplaceAllStringFunc(text, func(found string) string {
		m := markup.Get().FindStringSubmatch(found)
		inCode, inBold, label, address := m[1], m[2], m[3], m[4]
		switch {
		case inCode != "" && p.bare:
			return code.of(found)
		case inCode != "":
			return code.of(inCode)
		case inBold != "":
			return strong.of(p.inline(inBold))
		case strings.Contains(address, "://") && label != address:
			return p.inline(label) + " <" + address + ">"
		}
		return p.inline(label)
	})
}

var (
	markup = lazyregexp.New("`([^`]+)`|" +
		"\\*\\*((?:`[^`]*`|[^*`])+)\\*\\*|" +
		"!?\\[((?:`[^`]*`|[^\\]`])*)\\]\\(([^)\\s]*)\\)")
	item = lazyregexp.New(`^(?:[-*>]|\d+\.) `) // of a list, or a quotation
)
