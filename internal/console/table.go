package console

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// Table writes rows of cells in columns. Cells are on one line.
func (c *Console) Table(rows [][]string) {
	w := tabwriter.NewWriter(c.w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = strings.Join(strings.Fields(Plain(cell)), " ") // a tab would end it
		}
		fmt.Fprintln(w, "  "+strings.Join(cells, "\t"))
	}
	_ = w.Flush() // as all that is printed for people
}
