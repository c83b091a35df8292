package console

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// Table prints rows of cells in columns. Each row is on one line, if the terminal is wide enough.
func (c *Console) Table(rows [][]string) {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = strings.Join(strings.Fields(Plain(cell)), " ") // a tab would end the cell
		}
		fmt.Fprintln(w, "  "+strings.Join(cells, "\t"))
	}
	_ = w.Flush() // a strings.Builder never fails
	fmt.Fprint(c.w, Fit(text.String(), c.columns(0), 2))
}
