package browser

import (
	_ "embed"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

//go:embed testdata/measure.js
var measure string

// measured returns the layout faults of a page: elements that are wider than the frame, cut off, or
// hard to read.
func (v *view) measured() []string {
	v.t.Helper()
	return eval[[]string](v, "("+measure+")()")
}

const word = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"

var looks = []scene{
	{template: "form", title: "New contact", config: `{"description":"It is kept in the address book, ` + word + `.","fields":[
		{"name":"name","label":"Name","required":true,"placeholder":"First and last name"},
		{"name":"email","label":"Email","type":"email","description":"Where we write to"},
		{"name":"` + word + `","type":"number","min":0},
		{"name":"kind","label":"Kind","type":"select","options":["friend","` + word + `"],"default":"friend"},
		{"name":"note","label":"Note","type":"textarea","placeholder":"Anything else"},
		{"name":"news","label":"Send the newsletter every now and then","type":"checkbox","description":"Once a month at most"}],
		"submitTool":"save","submitLabel":"Save","cancelable":true}`, result: text("The form is open.")},
	{template: "data-table", title: "Orders", config: `{"pageSize":5,"description":"All of them."}`, result: data(`{"rows":[
		{"id":1001,"customer":"Ada Lovelace","status":"shipped","total":129.5,"note":"Leave it with the neighbour if nobody is at home, please ring twice before"},
		{"id":1002,"customer":"Grace Hopper","status":"open","total":17,"note":null},
		{"id":1003,"customer":"` + word + `","status":"open","total":4.25,"note":"https://example.com/a/very/long/address/that/has/no/blanks/in/it?and=a&query=too"},
		{"id":1004,"customer":"Alan Turing","status":"returned","total":88,"note":""},
		{"id":1005,"customer":"Edsger Dijkstra","status":"shipped","total":1200,"note":"goto considered"},
		{"id":1006,"customer":"Barbara Liskov","status":"open","total":9.99,"note":"substitute"}]}`)},
	{template: "progress", title: "Backup", config: `{"cancelTool":"stop","statusTool":"status","intervalSecs":3600}`, result: data(`{"id":"job-1","progress":3,"total":10,"message":"Copying ` + word + `/photos/2026"}`)},
	{template: "diff-viewer", title: "config.yaml", config: `{}`, result: data(`{"left":"name: shop\nport: 8080\nworkers: 4\nlog: info\npath: /var/lib/` + word + `\nend: true\n","right":"name: shop\nport: 8443\ntls: true\nworkers: 4\nlog: debug\npath: /var/lib/` + word + `\nend: true\n"}`)},
	{template: "tree-view", title: "Files", config: `{"expandLevel":9,"onSelectTool":"pick"}`, result: data(`{"nodes":[{"label":"src","meta":"3 files","children":[{"label":"main.go","meta":"2 KB"},
		{"label":"internal","children":[{"label":"a","children":[{"label":"b","children":[{"label":"c","children":[{"label":"d","children":[{"label":"` + word + `.go","meta":"12 KB"}]}]}]}]}]},{"label":"README.md"}]},{"label":"go.mod"}]}`)},
	{template: "kanban", title: "Sprint 12", config: `{"columns":[{"id":"todo","title":"To do"},{"id":"doing","title":"In progress"},{"id":"review","title":"Review"},{"id":"done","title":"Done"}],"onMoveTool":"move","onCardClickTool":"pick"}`, result: data(`{"cards":[
		{"id":"1","title":"Write the page","description":"With everything that people need to know","column":"todo","priority":"high","tags":["docs","help"],"assignee":"Ada"},
		{"id":"2","title":"` + word + `","column":"doing","priority":"low"},
		{"id":"3","title":"Fix the leak","column":"doing","priority":"medium","assignee":"Grace"},
		{"id":"4","title":"Release","column":"done","tags":["` + word + `"]}]}`)},
}

func TestPagesAreReadableInEveryThemeAndWidth(t *testing.T) {
	for _, s := range looks {
		t.Run(s.template, func(t *testing.T) {
			v := open(t, s)
			for _, width := range []int{340, 1000} {
				for _, theme := range []string{"light", "dark"} {
					v.looks(theme, width)
					v.photograph(fmt.Sprintf("%s-%s-%d", s.template, theme, width))
					for _, fault := range v.measured() {
						t.Errorf("%s, %d px: %s", theme, width, fault)
					}
				}
			}
		})
	}
}

// looks changes the theme of the host and the width of the frame.
func (v *view) looks(theme string, width int) {
	v.t.Helper()
	v.do(chromedp.EmulateViewport(int64(width+60), 900))
	evalHost[any](v, fmt.Sprintf("host.set({ theme: %q, width: %d })", theme, width))
	v.settle()
	v.until(fmt.Sprintf("innerWidth === %d", width))
	v.settle()
}
