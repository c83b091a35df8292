package console

import (
	"fmt"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/mcp-bash/mcp-bash/v2/internal/lazyregexp"
)

// Markdown prints a document on a terminal: headings are highlighted, paragraphs and tables are
// fitted to the terminal, and code stays as it is, so that it can be copied. It supports the subset
// of Markdown that documents of this project use.
func (c *Console) Markdown(document string) {
	p := page{columns: c.columns(0), bare: !c.colour}
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

// Placeholders for the characters that are not markup inside code.
const star, bracket = "\ue000", "\ue001"

// drawn returns a text as it is printed, with or without colours.
func (c *Console) drawn(text string) string {
	bold, cyan, end := "\x1b[1m", "\x1b[36m", "\x1b[0m"
	if !c.colour {
		bold, cyan, end = "", "", ""
	}
	return strings.NewReplacer(string(strong), bold, string(code), cyan, ended, end, star, "*", bracket, "[").Replace(text)
}

func (s style) of(text string) string { return string(s) + text + ended }

// A page renders a document for a terminal. Lines of Markdown are collected until the end of the
// block that they belong to.
type page struct {
	columns int
	bare    bool // without colours, so the markup of headings and code stays
	out     strings.Builder
	fence   string     // in a block of code: the line that ends it
	text    []string   // of a paragraph, or of an item
	first   string     // its prefix, as in "- "
	rows    [][]string // of a table
}

func (p *page) line(line string) {
	trimmed := strings.TrimLeft(line, " ")
	indent := line[:len(line)-len(trimmed)]
	switch {
	case p.fence != "":
		if strings.HasPrefix(trimmed, p.fence) {
			p.fence = ""
			return
		}
		p.print("    " + line)
	case strings.HasPrefix(trimmed, "```"):
		p.flush()
		p.fence = "```"
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
		switch {
		case strings.Trim(trimmed, "|:- ") != "":
			p.rows = append(p.rows, p.cells(trimmed))
		case len(p.rows) == 1: // the ruler below a head
			for i, cell := range p.rows[0] {
				p.rows[0][i] = strong.of(cell)
			}
		}
	case strings.HasPrefix(line, "#"):
		p.flush()
		if !p.bare {
			line = strings.TrimLeft(line, "# ")
		}
		p.print(wrap("", "", strong.of(p.inline(line)), p.width()))
	case len(p.text) == 0 && len(indent) >= 4:
		p.print(line) // code
	default:
		if mark := item(trimmed); mark != "" {
			p.flush()
			p.first, trimmed = indent+mark, trimmed[len(mark):]
		}
		p.text = append(p.text, trimmed)
	}
}

// item returns the marker at the start of a list item or a quotation.
func item(text string) string {
	number := strings.TrimLeft(text, "0123456789")
	switch {
	case strings.HasPrefix(text, "- "), strings.HasPrefix(text, "* "), strings.HasPrefix(text, "> "):
		return text[:2]
	case len(number) < len(text) && strings.HasPrefix(number, ". "):
		return text[:len(text)-len(number)+2]
	}
	return ""
}

func (p *page) print(text string) { p.out.WriteString(strings.TrimRight(text, " ") + "\n") }

// width returns the width of lines; unlimited without a terminal.
func (p *page) width() int {
	if p.columns == 0 {
		return 1 << 30
	}
	return max(p.columns, leastColumns)
}

// flush prints what was collected.
func (p *page) flush() {
	if len(p.text) > 0 {
		next := strings.Repeat(" ", len(p.first))
		p.print(wrap(p.first, next, p.inline(strings.Join(p.text, " ")), p.width()))
	}
	if len(p.rows) > 0 {
		p.table()
	}
	p.text, p.first, p.rows = nil, "", nil
}

// gap is between the columns of a table.
const gap = 2

// table prints rows in columns, whose cells may have several lines. If not even the longest words
// fit side by side, a row is printed as a list of its cells.
func (p *page) table() {
	widths, least := p.measure()
	total, needed := -gap, -gap
	for i := range widths {
		total += widths[i] + gap
		needed += least[i] + gap
	}
	if needed > p.width() {
		for _, row := range p.rows {
			for i, cell := range row {
				indent := strings.Repeat(" ", min(i, 1)*4)
				if cell != "" {
					p.print(wrap(indent, indent, cell, p.width()))
				}
			}
		}
		return
	}
	for ; total > p.width(); total-- {
		widest := 0 // of the columns that can be narrower
		for i := range widths {
			if widths[i]-least[i] > 0 && (widths[widest] <= least[widest] || widths[i] > widths[widest]) {
				widest = i
			}
		}
		widths[widest]--
	}
	for _, row := range p.rows {
		p.row(row, widths)
	}
}

// measure returns the widths of the columns, and of their longest words.
func (p *page) measure() (widths, least []int) {
	for _, row := range p.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths, least = append(widths, 0), append(least, 0)
			}
			widths[i] = max(widths[i], uniseg.StringWidth(cell))
			for word := range strings.FieldsSeq(cell) {
				least[i] = max(least[i], uniseg.StringWidth(word))
			}
		}
	}
	return widths, least
}

func (p *page) row(row []string, widths []int) {
	lines := make([][]string, len(row))
	most := 0
	for i, cell := range row {
		lines[i] = strings.Split(wrap("", "", cell, widths[i]), "\n")
		most = max(most, len(lines[i]))
	}
	open := make([]string, len(row)) // the style that a cell's next line begins with
	for n := range most {
		line := ""
		for i, width := range widths[:len(row)] {
			part := ""
			if n < len(lines[i]) {
				part = open[i] + lines[i][n]
				if open[i] = unended(part); open[i] != "" {
					part += ended
				}
			}
			line += part + strings.Repeat(" ", max(width-uniseg.StringWidth(part), 0)+gap)
		}
		p.print(line)
	}
}

// unended returns the style that begins in a text and does not end in it.
func unended(text string) string {
	at := strings.LastIndexAny(text, string(strong)+string(code)+ended)
	if at < 0 || text[at:at+1] == ended {
		return ""
	}
	return text[at : at+1]
}

// cells splits a row at unescaped bars.
func (p *page) cells(row string) []string {
	row = strings.ReplaceAll(strings.TrimSpace(row), `\|`, "\x06")
	parts := strings.Split(strings.TrimSuffix(strings.TrimPrefix(row, "|"), "|"), "|")
	for i, part := range parts {
		parts[i] = p.inline(strings.ReplaceAll(strings.TrimSpace(part), "\x06", "|"))
	}
	return parts
}

// inline renders the markup in a text: code, bold, and links. The address of a link is shown if it is
// on the web.
func (p *page) inline(text string) string {
	parts := strings.Split(text, "`")
	for i := range parts {
		if i%2 == 0 {
			continue
		}
		if p.bare {
			parts[i] = "`" + parts[i] + "`"
		}
		parts[i] = code.of(strings.NewReplacer("*", star, "[", bracket).Replace(parts[i]))
	}
	text = link.Get().ReplaceAllStringFunc(strings.Join(parts, ""), func(found string) string {
		m := link.Get().FindStringSubmatch(found)
		if strings.Contains(m[2], "://") && m[1] != m[2] {
			return m[1] + " <" + m[2] + ">"
		}
		return m[1]
	})
	return bold.Get().ReplaceAllString(text, string(strong)+"$1"+ended)
}

var (
	link = lazyregexp.New(`!?\[([^\]]*)\]\(([^)\s]*)\)`)
	bold = lazyregexp.New(`\*\*([^*]+)\*\*`)
)
