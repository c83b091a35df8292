package console

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// Table writes rows of cells in columns. Cells are on one line, where it is wide enough.
func (c *Console) Table(rows [][]string) {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = strings.Join(strings.Fields(Plain(cell)), " ") // a tab would end it
		}
		fmt.Fprintln(w, "  "+strings.Join(cells, "\t"))
	}
	_ = w.Flush() // a Builder takes everything
	fmt.Fprint(c.w, Fit(text.String(), c.columns(0), 2))
}
