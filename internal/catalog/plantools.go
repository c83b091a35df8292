package catalog

import (
	"cmp"
	"slices"
	"strings"
)

// Which files below tools/ are tools:
//
//   - A script is a file that the system would start, or that ends in .sh or .bash, or that begins
//     with #!. Documents, data and backup copies of editors are not scripts, whatever their mode.
//   - A folder that has a main script, called tool or like the folder, is the folder of that one
//     tool. Other scripts in it and below it are its helpers.
//   - Elsewhere each script is a tool, but in folders called lib, test and the like each is a
//     helper, and so is what its name calls a test, and what is in tools/ itself without the
//     mode to be started.
//   - A helper is a tool if it has metadata of its own, and only then.
//   - Metadata without a script is a tool if it has argv, whose first word is the program.

// toolDepth is the maximal depth of a tool below tools/: tools/a/b/tool.sh.
const toolDepth = 2

// planTools applies the rules to the contents of a folder.
func planTools(at place, in contents) plan {
	main := mainScript(at, in.files)
	all := pair(in)
	p := plan{candidates: all[:0], main: main != ""}
	hasUI := slices.Contains(in.folders, "ui")
	for _, c := range all {
		script := c.file.name
		switch {
		case c.alone && at.inner, !c.alone && !c.file.script && len(c.sidecars) == 0:
			continue
		case c.alone:
			script = c.name
			c.helper = true
			c.ui = hasUI && at.depth > 0 && isMain(at, script)
		default:
			c.helper = script != main && (at.inner || p.main || looksLikeTest(script))
			c.idle = !c.helper && at.depth == 0 && !c.file.executable
			c.helper = c.helper || c.idle
			c.ui = hasUI && script == main
		}
		c.name = defaultName(at, script)
		p.candidates = append(p.candidates, c)
	}
	return p
}

// defaultName is the name of a tool without metadata: that of its folder if the script is called
// tool, else that of the script.
func defaultName(at place, script string) string {
	if s := stem(script); s != "tool" || at.depth == 0 {
		return s
	}
	return at.name()
}

// mainScript returns the main script of a folder: tool.sh before tool.py before FOLDER.sh.
func mainScript(at place, files []file) string {
	if at.depth == 0 || at.inner {
		return ""
	}
	main := ""
	for _, f := range files {
		if f.script && isMain(at, f.name) && (main == "" || compareMain(f.name, main) < 0) {
			main = f.name
		}
	}
	return main
}

func isMain(at place, name string) bool {
	return stem(name) == "tool" || stem(name) == at.name() || name == at.name()
}

func compareMain(a, b string) int {
	return cmp.Or(
		compareTrue(stem(a) == "tool", stem(b) == "tool"),
		compareScripts(a, b),
	)
}

// looksLikeTest reports whether a script is a test, by its name.
func looksLikeTest(name string) bool {
	s := stem(name)
	return name == "smoke.sh" || strings.HasSuffix(name, ".bats") || strings.HasSuffix(s, "_test") ||
		strings.HasSuffix(s, ".test")
}
