package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// public are the packages that other modules import. Other modules must be able to name all the
// types that they need.
var public = []string{"pipeline", "pipeline/pipetest", "middleware", "mcp", "mcp/mcptest", "handlers", "providers", "server"}

func TestWhatOthersMayUseMentionsNothingInternal(t *testing.T) {
	seen := 0
	for _, f := range files(t) {
		if !slices.Contains(public, f.dir) {
			continue
		}
		seen++
		for _, fault := range internals(f.tree) {
			t.Errorf("%s: %s, which other modules cannot write; take a plain value or a func instead", f.path, fault)
		}
	}
	if seen < 20 {
		t.Errorf("found only %d files", seen)
	}
}

// internals returns the exported names of a file that mention a type of an internal package.
func internals(tree *ast.File) (faults []string) {
	packages := map[string]string{} // internal packages, by their name in this file
	for _, i := range tree.Imports {
		from, _ := strconv.Unquote(i.Path.Value)
		if !strings.Contains("/"+from+"/", "/internal/") || isJSON(strings.TrimPrefix(from, module)) { // its types are aliases
			continue
		}
		name := path.Base(from)
		if i.Name != nil {
			name = i.Name.Name
		}
		packages[name] = from
	}
	look := func(name string, part ast.Expr) {
		ast.Inspect(part, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && packages[x.Name] != "" {
					faults = append(faults, fmt.Sprintf("%s mentions %s.%s", name, packages[x.Name], s.Sel.Name))
				}
			}
			return true
		})
	}
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && (d.Recv == nil || exportedReceiver(d.Recv)) {
				look(d.Name.Name, d.Type)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					fields, ok := s.Type.(*ast.StructType)
					switch {
					case !s.Name.IsExported(), s.Assign.IsValid(): // an alias can be named by others
					case !ok:
						look(s.Name.Name, s.Type)
					default:
						for _, f := range fields.Fields.List {
							if f.Names == nil || slices.ContainsFunc(f.Names, (*ast.Ident).IsExported) {
								look(s.Name.Name, f.Type)
							}
						}
					}
				case *ast.ValueSpec:
					if d.Tok == token.VAR && s.Type != nil && slices.ContainsFunc(s.Names, (*ast.Ident).IsExported) {
						look(s.Names[0].Name, s.Type)
					}
				}
			}
		}
	}
	return faults
}

// exportedReceiver reports whether the type of a method is exported.
func exportedReceiver(recv *ast.FieldList) bool {
	exported := false
	ast.Inspect(recv.List[0].Type, func(n ast.Node) bool {
		if i, ok := n.(*ast.Ident); ok {
			exported = exported || i.IsExported()
		}
		return true
	})
	return exported
}
