package mcp_test

import (
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

func TestAKnownVersionIsAgreedOnAndAnyOtherIsOfferedTheNewest(t *testing.T) {
	is := is.New(t)
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		is.Equal(mcp.Negotiate(version).Version, version) // L-01
	}
	for _, version := range []string{"", "1999-01-01", "2099-01-01", "2026-07-28"} {
		is.Equal(mcp.Negotiate(version), mcp.Latest()) // L-02
	}
	is.True(mcp.Negotiate("2025-03-26").Batches) // the only revision that has them
	is.True(!mcp.Latest().Batches)
}

func TestALevelCoversItselfAndHigherLevels(t *testing.T) {
	is := is.New(t)
	is.True(mcp.Warning.Covers(mcp.Warning))
	is.True(mcp.Warning.Covers(mcp.Emergency))
	is.True(!mcp.Warning.Covers(mcp.Notice))
	is.True(!mcp.Level("warn").Valid()) // no such name
}

func TestASessionGoesFromOpeningToReadyOnce(t *testing.T) {
	is := is.New(t)
	var s mcp.Session
	is.Equal(s.Revision(), mcp.Latest()) // before a revision is agreed on
	is.True(!s.Confirm())                // nothing to confirm yet
	s.Open(mcp.Negotiate("2024-11-05"), mcp.ClientCapabilities{})
	is.True(s.Confirm())
	is.True(!s.Confirm()) // unchanged
	is.Equal(s.Phase(), mcp.Ready)
	s.Close()
	is.Equal(s.Phase(), mcp.Closing)
}

func TestContentIsConvertedForARevision(t *testing.T) {
	old, latest := mcp.Negotiate("2024-11-05"), mcp.Latest()
	for _, c := range []struct{ block, old, latest string }{
		{`{"type":"text","text":"a"}`, `{"type":"text","text":"a"}`, `{"type":"text","text":"a"}`},
		{`{"type":"audio","data":"AA==","mimeType":"audio/wav"}`, `{"type":"text","text":"[audio, audio/wav: this client's protocol revision has no audio]"}`, `{"type":"audio","data":"AA==","mimeType":"audio/wav"}`},
		{`{"type":"resource_link","uri":"file:///a","name":"a"}`, `{"type":"text","text":"a: file:///a"}`, `{"type":"resource_link","uri":"file:///a","name":"a"}`},
		{`{"type":"text"}`, "", ""},
		{`{"type":"image","data":"AA=="}`, "", ""},
		{`{"type":"video"}`, "", ""},
		{`"text"`, "", ""},
	} {
		is := is.New(t)
		got, err := mcp.ContentIn([]byte(c.block), old)
		is.Equal(err == nil, c.old != "")
		if err == nil {
			is.Equal(string(got.JSON()), c.old) // T-12
		}
		got, err = mcp.ContentIn([]byte(c.block), latest)
		is.Equal(err == nil, c.latest != "")
		if err == nil {
			is.Equal(string(got.JSON()), c.latest)
		}
	}
}

func TestAClientElicitsInTheModesThatItDeclared(t *testing.T) {
	for _, c := range []struct {
		version, declared string
		form, url         bool
	}{
		{"2025-11-25", `{}`, true, false}, // C-07
		{"2025-11-25", `{"form":{},"url":{}}`, true, true},
		{"2025-11-25", `{"url":{}}`, false, true},
		{"2025-06-18", `{"url":{}}`, false, false},
		{"2025-06-18", `{}`, true, false},
		{"2024-11-05", `{}`, false, false},
		{"2025-11-25", ``, false, false},
	} {
		is := is.New(t)
		var client mcp.ClientCapabilities
		if c.declared != "" {
			is.NoErr(json.Unmarshal([]byte(`{"elicitation":`+c.declared+`}`), &client))
		}
		is.Equal(client.Elicits(mcp.Negotiate(c.version), ""), c.form)
		is.Equal(client.Elicits(mcp.Negotiate(c.version), "url"), c.url)
	}
}

func TestOlderRevisionsDoNotSeeNewerFields(t *testing.T) {
	is := is.New(t)
	old := mcp.Negotiate("2024-11-05")
	raw := json.RawMessage(`{}`)
	tool := mcp.Tool{Name: "a", Title: "A", InputSchema: raw, OutputSchema: raw, Annotations: raw, Icons: raw, Meta: raw}.In(old)
	is.Equal(tool.Title+string(tool.OutputSchema)+string(tool.Annotations)+string(tool.Icons)+string(tool.Meta), "")
	is.True(mcp.ServerCapabilities{Completions: &struct{}{}}.For(mcp.ClientCapabilities{}, old).Completions == nil) // C-06
}

func TestASessionHasOnlyTheUserInterfaceExtensionIfTheClientShowsThem(t *testing.T) {
	is := is.New(t)
	offers := mcp.ServerCapabilities{Extensions: map[string]json.RawMessage{mcp.ExtensionUI: json.RawMessage(`{}`), mcp.ExtensionTasks: json.RawMessage(`{}`)}}
	shows := mcp.ClientCapabilities{Extensions: map[string]*mcp.Declared{mcp.ExtensionUI: {}}}
	is.Equal(len(offers.For(mcp.ClientCapabilities{}, mcp.Latest()).Extensions), 0)
	is.Equal(len(offers.For(shows, mcp.Latest()).Extensions), 1)                                // user interfaces
	is.Equal(len(offers.For(mcp.ClientCapabilities{}, mcp.Lookup("2026-07-28")).Extensions), 2) // TX-01
}
