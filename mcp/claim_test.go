package mcp_test

import (
	"errors"
	"testing"

	"github.com/matryer/is"
	"github.com/sourcegraph/jsonrpc2"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

const claim = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"sampling":{}},"io.modelcontextprotocol/logLevel":"error"}}`

func TestAClaimHasTheTermsOfItsRequest(t *testing.T) {
	is := is.New(t)
	c, err := mcp.ParseClaim(json.RawMessage(claim))
	is.NoErr(err)
	is.Equal(c.Revision().Version, "2026-07-28")
	is.Equal(c.Level(), mcp.Error)
	is.True(c.Has("sampling"))
	is.True(!(*mcp.Claim)(nil).Has("sampling"))
	session := new(mcp.Session)
	is.Equal(mcp.TermsOf(mcp.WithClaim(t.Context(), c), session), mcp.Terms(c)) // B-08
	is.Equal(mcp.TermsOf(t.Context(), session), mcp.Terms(session))
}

func TestParamsWithoutAClaimHaveNone(t *testing.T) {
	for _, params := range []string{``, `{}`, `[]`, `null`, `5`, `{"_meta":null}`, `{"_meta":[]}`, `{"_meta":{"progressToken":1}}`,
		`{"arguments":{"_meta":` + claim + `}}`, `{"_meta":{"io.modelcontextprotocol/related-task":{}}}`, `{"x":"\"io.modelcontextprotocol/protocolVersion"}`} {
		is := is.New(t)
		c, err := mcp.ParseClaim(json.RawMessage(params))
		is.NoErr(err)
		is.True(c == nil)
		is.True(!mcp.HasClaim(json.RawMessage(params)))
	}
}

func FuzzParseClaim(f *testing.F) {
	for _, params := range []string{claim, `{}`, `{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}}`, `{"_meta":{"io.modelcontextprotocol/clientInfo":null}}`, `{"_meta":{"io.modelcontextprotocol\/logLevel":5}}`, `"io.modelcontextprotocol`} {
		f.Add([]byte(params))
	}
	f.Fuzz(func(t *testing.T, params []byte) {
		c, err := mcp.ParseClaim(params)
		var refused *jsonrpc2.Error
		switch {
		case c != nil && err != nil:
			t.Error("a claim and an error")
		case err != nil && !errors.As(err, &refused):
			t.Errorf("%v has no code", err)
		case err != nil && refused.Code != -32602 && refused.Code != mcp.CodeUnsupportedVersion:
			t.Errorf("code %d", refused.Code) // N-01, N-04
		case (c != nil || err != nil) != mcp.HasClaim(params):
			t.Error("a claim is one, right or wrong")
		}
	})
}

func TestCapabilitiesOfClientsInTheRevisionsThatHaveThem(t *testing.T) {
	for _, c := range []struct {
		client, name string
		in           string // the oldest revision that has it; "": none
	}{
		{`{"roots":{}}`, "roots", "2024-11-05"},
		{`{"sampling":{}}`, "sampling", "2024-11-05"},
		{`{"sampling":{}}`, "sampling.tools", ""},
		{`{"sampling":{"tools":{}}}`, "sampling.tools", "2025-11-25"}, // SA-02
		{`{"sampling":{"context":{}}}`, "sampling.context", "2024-11-05"},
		{`{"elicitation":{}}`, "elicitation", "2025-06-18"},
		{`{"elicitation":{}}`, "elicitation.url", ""}, // C-07
		{`{"elicitation":{"url":{}}}`, "elicitation", ""},
		{`{"elicitation":{"url":{}}}`, "elicitation.url", "2025-11-25"},
		{`{"elicitation":{"Url":{}}}`, "elicitation", "2025-06-18"}, // names are case-sensitive
		{`{"extensions":{"io.modelcontextprotocol/ui":{}}}`, "ui", "2024-11-05"},
		{`{"extensions":{"io.modelcontextprotocol/tasks":{}}}`, "tasks", "2026-07-28"}, // TX-18
		{`{"tasks":{}}`, "tasks", ""},
		{`{}`, "anything", ""},
	} {
		t.Run(c.client+" "+c.name, func(t *testing.T) {
			is := is.New(t)
			var client mcp.ClientCapabilities
			is.NoErr(json.Unmarshal([]byte(c.client), &client))
			for _, version := range mcp.Versions() {
				is.Equal(client.Has(mcp.Lookup(version), c.name), c.in != "" && version >= c.in)
			}
		})
	}
}

func TestFormsAreConvertedForARevision(t *testing.T) {
	v3 := mcp.Negotiate("2025-06-18")
	for _, c := range []struct{ form, want string }{
		{`{"type":"object","properties":{"a":{"type":"boolean","default":true}}}`, `{"type":"object","properties":{"a":{"default":true,"type":"boolean"}}}`},
		{`{"type":"object","properties":{"a":{"type":"integer","default":5}},"required":["a"]}`, `{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}`},
		{`{"type":"object","properties":{"a":{"type":"string","oneOf":[{"const":"x","title":"X"},{"const":"y","title":"Y"}]}}}`, `{"type":"object","properties":{"a":{"enum":["x","y"],"enumNames":["X","Y"],"type":"string"}}}`},
		{`{"type":"object","properties":{"a":{"type":"array","items":{"enum":["x"]}}}}`, ""},
		{`{"properties":{"a":{"type":"string","x":{"k":1,"k":2}}}}`, `{"properties":{"a":{"type":"string","x":{"k":1,"k":2}}}}`},
		{`{"properties":{"b":{"type":"string","default":""},"a":{"type":"string"},"c":{}}}`, `{"properties":{"b":{"type":"string"},"a":{"type":"string"},"c":{}}}`}, // in order
		{`{"properties":{"a":null}}`, `{"properties":{"a":{}}}`},
		{`{"properties":{"a":5}}`, ""},
		{`{"properties":5}`, ""},
		{`{}`, ""},
		{`5`, ""},
	} {
		is := is.New(t)
		got, ok := mcp.FormIn([]byte(c.form), v3)
		is.Equal(string(got), c.want) // EL-05
		is.Equal(ok, c.want != "")
		got, ok = mcp.FormIn([]byte(c.form), mcp.Lookup("2026-07-28"))
		is.True(ok)
		is.Equal(string(got), c.form) // as in the script
	}
}

func TestCodesOfRevisions(t *testing.T) {
	is := is.New(t)
	fault := func(version string, code int64, data string) int64 {
		e := &jsonrpc2.Error{Code: code, Message: "no"}
		if raw := json.RawMessage(data); data != "" {
			e.Data = &raw
		}
		return mcp.Lookup(version).Fault(e).Code
	}
	for code := int64(-32100); code <= -31999; code++ { // any text of a script
		want := int64(-32603)
		switch code {
		case -32100, -31999:
			want = code
		case -32002:
			want = -32602
		}
		is.Equal(fault("2026-07-28", code, ""), want)        // N-14
		is.Equal(fault("2026-07-28", code, `{"x":1}`), want) // N-14
		is.Equal(fault("2025-11-25", code, `{"x":1}`), code) // codes of sessions stay as they are
	}
	is.Equal(fault("2026-07-28", -32021, `{"requiredCapabilities":{}}`), int64(-32021))
	is.Equal(fault("2026-07-28", -32022, `{"supported":[],"requested":"x"}`), int64(-32022))
	for _, data := range []string{`{"supported":[]}`, `{"supported":5,"requested":"x"}`, `{"supported":[5],"requested":"x"}`, `{"supported":[],"requested":6}`} {
		is.Equal(fault("2026-07-28", -32022, data), int64(-32603)) // not as defined
	}
	is.Equal(fault("2026-07-28", -32021, `{"requiredCapabilities":["sampling"]}`), int64(-32603))
	is.Equal(fault("2026-07-28", 5, ""), int64(5))
}
