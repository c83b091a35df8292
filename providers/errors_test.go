package providers

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/matryer/is"
	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/fetch"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// manual returns a page of the manual.
func manual(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile("../docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// section returns the rows of the table that follows a heading.
func section(t *testing.T, page, heading string) []string {
	t.Helper()
	_, after, ok := strings.Cut(page, "\n"+heading+"\n")
	if !ok {
		t.Fatalf("no heading %q", heading)
	}
	var rows []string
	for line := range strings.Lines(after) {
		switch {
		case strings.HasPrefix(line, "|"):
			rows = append(rows, strings.TrimSpace(line))
		case len(rows) > 0:
			return rows[2:] // without the heading of the table
		}
	}
	t.Fatalf("no table below %q", heading)
	return nil
}

func nameOf(fault error) string {
	for name, f := range map[string]error{
		"ErrNotFound": ErrNotFound, "ErrBadURI": ErrBadURI, "ErrOutside": ErrOutside, "ErrDenied": ErrDenied, "ErrTooLarge": ErrTooLarge, "ErrUnavailable": ErrUnavailable,
	} {
		if f == fault {
			return "`" + name + "`"
		}
	}
	return "none"
}

func TestTheManualListsTheErrorOfEachFault(t *testing.T) {
	is := is.New(t)
	var want []string
	row := func(name string, err error) {
		old, now := WireError(err, "…", mcp.CodeResourceNotFound), WireError(err, "…", jsonrpc2.CodeInvalidParams)
		is.Equal(string(*old.Data), string(*now.Data))
		message, _, _ := strings.Cut(old.Message, ":")
		want = append(want, fmt.Sprintf("| %s | %d | %d | `%s` | `%s` |", name, old.Code, now.Code, *old.Data, message))
	}
	for _, f := range faults {
		row(nameOf(f), fmt.Errorf("%w: more", f))
	}
	row("a redirect", httpsFault(&fetch.RedirectError{Location: "…"}))
	is.Equal(strings.Join(section(t, manual(t, "ERRORS.md"), "## Reading resources"), "\n"), strings.Join(want, "\n"))
}

func TestTheManualListsTheFaultOfEachExitCode(t *testing.T) {
	is := is.New(t)
	var want []string
	for code := 2; code <= 8; code++ {
		fault := nameOf(faultIn(exitFault("x.sh", Output{ExitCode: code})))
		switch code {
		case 7:
			fault += ", or a redirect if stderr has `redirect:LOCATION`"
		case 8:
			want = append(want, "| any other but 0 | "+fault+" |")
			continue
		}
		want = append(want, fmt.Sprintf("| %d | %s |", code, fault))
	}
	is.Equal(strings.Join(section(t, manual(t, "ERRORS.md"), "### Exit codes of provider scripts"), "\n"), strings.Join(want, "\n"))
	is.Equal(faultIn(exitFault("x.sh", Output{ExitCode: 1})), ErrUnavailable)
}

func TestTheManualHasEveryCodeOfTheServer(t *testing.T) {
	is := is.New(t)
	rows := strings.Join(section(t, manual(t, "ERRORS.md"), "## All codes"), "\n")
	for _, code := range []int64{
		jsonrpc2.CodeParseError, jsonrpc2.CodeInvalidRequest, jsonrpc2.CodeMethodNotFound, jsonrpc2.CodeInvalidParams, jsonrpc2.CodeInternalError,
		mcp.CodeNotInitialized, mcp.CodeBusy, mcp.CodeResourceNotFound, mcp.CodeShuttingDown, mcp.CodeNotShuttingDown,
	} {
		is.True(strings.Contains(rows, fmt.Sprintf("| %d |", code)))
	}
}

func TestOtherErrorsAreInternalErrors(t *testing.T) {
	is := is.New(t)
	e := WireError(errors.New("über\xff"), "u", mcp.CodeResourceNotFound)
	is.Equal(e.Code, int64(jsonrpc2.CodeInternalError))
	is.Equal(e.Message, "Über\ufffd")
	is.True(e.Data == nil)
}

func TestOnlyNotFoundErrorsRepeatTheURI(t *testing.T) {
	secret := "https://user:hunter2@example.com/?token=hunter2"
	for _, f := range faults[1:] {
		is := is.New(t)
		e := WireError(fmt.Errorf("%w: more", f), secret, mcp.CodeResourceNotFound)
		is.True(!strings.Contains(e.Message+string(*e.Data), "hunter2")) // SE-04
	}
	is := is.New(t)
	_, err := HTTPS{Hosts: fetch.Hosts{AllowAll: true}}.Read(t.Context(), secret)
	is.True(!strings.Contains(err.Error(), "hunter2"))
}
