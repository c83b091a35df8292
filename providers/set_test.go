package providers

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestASetReadsEachSchemeByItsProvider(t *testing.T) {
	is := is.New(t)
	s := Set{Schemes: map[string]Provider{
		"echo": Echo{},
		"one": Func(func(_ context.Context, uri string) ([]Content, error) {
			return []Content{NewContent(uri, "", nil)}, nil
		}),
	}}
	is.Equal(read(t, s, "echo://hi"), `{"uri":"echo://hi","mimeType":"text/plain","text":"hi"}`)
	is.Equal(read(t, s, "ECHO://hi"), `{"uri":"ECHO://hi","mimeType":"text/plain","text":"hi"}`) // schemes are not case-sensitive
	is.Equal(read(t, s, "one:x"), `{"uri":"one:x","text":""}`)
	is.Equal(read(t, s, "two:x"), `resource not found: no provider for "two:" URIs; add one to the project as providers/two.sh`)
	is.Equal(read(t, Set{}, "echo://hi"), `resource not found: no provider for "echo:" URIs; add one to the project as providers/echo.sh`)
}

func TestANamedProviderReadsEveryScheme(t *testing.T) {
	said := func(text string) Provider {
		return Func(func(_ context.Context, uri string) ([]Content, error) {
			return []Content{NewContent(uri, "", []byte(text))}, nil
		})
	}
	s := Set{Schemes: map[string]Provider{"echo": said("echo"), "git+https": said("git")}, Scripts: Scripts{Folder: t.TempDir()}}
	find := func(name string) string {
		p, err := s.Find(name, "two:x")
		if err != nil {
			return err.Error()
		}
		return read(t, p, "two:x")
	}
	for name, want := range map[string]string{
		"":         `no provider for "two:" URIs`,
		"echo":     `{"uri":"two:x","text":"echo"}`,
		"Echo":     `{"uri":"two:x","text":"echo"}`,
		"git":      `{"uri":"two:x","text":"git"}`,
		"ehco":     `resource not found: unknown provider "ehco"`,
		"../echo":  `unknown provider "../echo"`,
		"./x\x00y": `unknown provider "./x\x00y"`,
	} {
		is := is.New(t)
		is.True(strings.Contains(find(name), want))
	}
}

func TestOnlyURIsReachProviders(t *testing.T) {
	s := Set{Schemes: map[string]Provider{"echo": Func(func(context.Context, string) ([]Content, error) {
		t.Error("it did")
		return nil, nil
	})}}
	for _, uri := range []string{
		"", "echo", "://x", ":x", "/etc/passwd", "../x", "1cho:x", "é:x", "e cho:x", "ec/ho:x",
		"echo:\x00", "echo:a\nb", "echo:\x7f", "echo:\xff", "echo:" + strings.Repeat("a", MaxURI),
	} {
		is := is.New(t)
		_, err := s.Read(t.Context(), uri)
		is.True(errors.Is(err, ErrBadURI))
	}
}

func TestTheCauseOfTheContextIsTheError(t *testing.T) {
	is := is.New(t)
	gone := errors.New("the client went away")
	ctx, cancel := context.WithCancelCause(t.Context())
	s := Set{Schemes: map[string]Provider{"slow": Func(func(context.Context, string) ([]Content, error) {
		cancel(gone)
		return nil, ErrUnavailable
	})}}
	_, err := s.Read(ctx, "slow:x")
	is.Equal(err, gone)
}

func TestTextIsTextAndTheRestIsABlob(t *testing.T) {
	for _, c := range []struct{ name, bytes, want string }{
		{"text", "hello\n\n", `{"uri":"u","mimeType":"m","text":"hello\n\n"}`}, // trailing newlines are kept
		{"nothing", "", `{"uri":"u","mimeType":"m","text":""}`},
		{"letters of all kinds", "Grüße ☃", `{"uri":"u","mimeType":"m","text":"Grüße ☃"}`},
		{"a NUL", "a\x00b", `{"uri":"u","mimeType":"m","blob":"YQBi"}`},
		{"no UTF-8", "\xff\xfe\xfd\xfc", `{"uri":"u","mimeType":"m","blob":"//79/A=="}`}, // standard alphabet, padded
	} {
		is := is.New(t)
		is.Equal(read(t, Func(func(_ context.Context, uri string) ([]Content, error) {
			return []Content{NewContent(uri, "m", []byte(c.bytes))}, nil
		}), "u"), c.want)
	}
}

func TestEchoReturnsItsPayload(t *testing.T) {
	for uri, want := range map[string]string{
		"echo://hello":              "hello",
		"echo://hello%20world":      "hello world",
		"echo://a/b?c#d":            "a/b?c#d",
		"echo://gr%C3%BC%C3%9Fe":    "grüße",
		"echo://100%":               "100%", // not percent-encoded, so unchanged
		"echo://":                   "",
		"echo://file:///etc/shadow": "file:///etc/shadow",
	} {
		is := is.New(t)
		got, err := Echo{}.Read(t.Context(), uri)
		is.NoErr(err)
		is.Equal(*got[0].Text, want)
	}
	is := is.New(t)
	is.Equal(read(t, Echo{}, "echo:hello"), "invalid resource URI: write echo://TEXT")
	is.Equal(read(t, Echo{}, "echo://%00"), `{"uri":"echo://%00","mimeType":"application/octet-stream","blob":"AA=="}`)
}
