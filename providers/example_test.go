package providers_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/providers"
)

func ExampleFile() {
	root, err := os.MkdirTemp("", "resources")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(root)
	path := filepath.Join(root, "notes.md")
	if err := os.WriteFile(path, []byte("# Notes"), 0o644); err != nil {
		fmt.Println(err)
		return
	}
	files := providers.File{Roots: []string{root}}
	contents, err := files.Read(context.Background(), "file://"+filepath.ToSlash(path))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(contents[0].MimeType, *contents[0].Text)
	_, err = files.Read(context.Background(), "file:///etc/../etc/passwd")
	fmt.Println(err)
	// Output:
	// text/markdown # Notes
	// resource not allowed: the path contains ".."; write it without
}

func ExampleEcho() {
	contents, err := providers.Echo{}.Read(context.Background(), "echo://hello%20world")
	fmt.Println(*contents[0].Text, err)
	// Output: hello world <nil>
}

// A host that is not allowed is not asked.
func ExampleHTTPS() {
	downloads := providers.HTTPS{Hosts: providers.Hosts{Allow: []string{"*.example.com"}}}
	for _, uri := range []string{"https://other.test/a", "http://www.example.com/a"} {
		_, err := downloads.Read(context.Background(), uri)
		fmt.Println(err)
	}
	// Output:
	// resource not allowed: host not allowed: other.test is not on the allow list; see MCPBASH_HTTPS_ALLOW_HOSTS and MCPBASH_HTTPS_DENY_HOSTS
	// invalid resource URI: unusable URL: must use https://
}

func ExampleGit() {
	repositories := providers.Git{Enabled: true, Hosts: providers.Hosts{Allow: []string{"git.example.com"}}}
	for _, uri := range []string{"git+https://other.test/repository#README.md", "git+https://git.example.com/repository#../README.md"} {
		_, err := repositories.Read(context.Background(), uri)
		fmt.Println(err)
	}
	// Output:
	// resource not allowed: host not allowed: other.test is not on the allow list; see MCPBASH_GIT_ALLOW_HOSTS and MCPBASH_GIT_DENY_HOSTS
	// invalid resource URI: after the # write the path of a file from the top of the repository, without ".."
}

func ExampleUI() {
	pages := providers.UI{Find: func(_ context.Context, uri string) (providers.Page, error) {
		if uri != "ui://server/clock" {
			return providers.Page{}, fs.ErrNotExist
		}
		return providers.Page{HTML: []byte("<p>noon</p>")}, nil
	}}
	contents, err := pages.Read(context.Background(), "ui://server/clock")
	fmt.Println(contents[0].MimeType, *contents[0].Text, err)
	_, err = pages.Read(context.Background(), "ui://server/other")
	fmt.Println(err)
	// Output:
	// text/html;profile=mcp-app <p>noon</p> <nil>
	// resource not found: no page is called ui://server/other
}

// pretend stands for what runs programs: it prints what they would be started with.
func pretend(_ context.Context, c providers.Command) (providers.Output, error) {
	return providers.Output{Stdout: []byte(fmt.Sprint(filepath.Base(c.Path), " ", c.Args, " ", c.Env))}, nil
}

func ExampleScript() {
	s := providers.Script{Path: "/project/providers/db.sh", Exec: providers.Exec{Run: pretend}}
	contents, err := s.Read(context.Background(), "db://users")
	fmt.Println(*contents[0].Text, err)
	// Output:
	// db.sh [db://users] [MCP_RESOURCE_URI=db://users] <nil>
}

func ExampleTemplate() {
	s := providers.Script{Path: "/project/resources/user.sh", Exec: providers.Exec{Run: pretend}}
	users, err := providers.NewTemplate("db://users/{id}", s)
	if err != nil {
		fmt.Println(err)
		return
	}
	contents, err := users.Read(context.Background(), "db://users/7")
	fmt.Println(*contents[0].Text, err)
	// Output:
	// user.sh [db://users/7] [MCP_RESOURCE_URI=db://users/7 MCP_RESOURCE_TEMPLATE=db://users/{id} MCP_RESOURCE_VAR_ID=7 MCP_RESOURCE_VARS_JSON={"id":"7"}] <nil>
}

var warehouse = map[string]int{"nails": 1200}

// stock reads stock://ITEM.
func stock(_ context.Context, uri string) ([]providers.Content, error) {
	item := strings.TrimPrefix(uri, "stock://")
	n, ok := warehouse[item]
	if !ok {
		return nil, fmt.Errorf("%w: there is no item %q", providers.ErrNotFound, item)
	}
	return []providers.Content{providers.NewContent(uri, "text/plain", []byte(strconv.Itoa(n)))}, nil
}

func ExampleFunc() {
	set := providers.Set{Schemes: map[string]providers.Provider{
		"echo":  providers.Echo{},
		"stock": providers.Func(stock),
	}}
	for _, uri := range []string{"echo://hello", "stock://nails", "stock://gold"} {
		contents, err := set.Read(context.Background(), uri)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(*contents[0].Text)
	}
	// Output:
	// hello
	// 1200
	// resource not found: there is no item "gold"
}

func ExampleWireError() {
	_, err := stock(context.Background(), "stock://gold")
	wire := providers.WireError(err, "stock://gold", -32002)
	fmt.Println(wire.Code, wire.Message, string(*wire.Data))
	wire = providers.WireError(errors.New("no more paper"), "stock://gold", -32002)
	fmt.Println(wire.Code, wire.Message)
	// Output:
	// -32002 Resource not found: there is no item "gold" {"uri":"stock://gold"}
	// -32603 No more paper
}
