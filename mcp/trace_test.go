package mcp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

func TestTheTraceOfARequestIsReadIfItIsWellFormed(t *testing.T) {
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for _, c := range []struct {
		meta string
		want mcp.Trace
	}{
		{`{"traceparent":"` + parent + `","tracestate":"a=1,b=2","baggage":"k=v"}`, mcp.Trace{Parent: parent, State: "a=1,b=2", Baggage: "k=v"}}, // TR-01
		{`{"baggage":"k=v","tracestate":"a=1"}`, mcp.Trace{Baggage: "k=v"}},                                                                      // a state without a trace
		{`{"traceparent":"junk","tracestate":5,"baggage":null}`, mcp.Trace{}},                                                                    // TR-02
		{`{"traceparent":"ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}`, mcp.Trace{}},
		{`{"traceparent":"00-00000000000000000000000000000000-b7ad6b7169203331-01"}`, mcp.Trace{}},
		{`{"baggage":"a\nb"}`, mcp.Trace{}}, // would allow header injection
		{`{"baggage":"` + strings.Repeat("x", 9000) + `"}`, mcp.Trace{}},
		{`[]`, mcp.Trace{}},
		{``, mcp.Trace{}},
	} {
		is := is.New(t)
		is.Equal(mcp.TraceOf(json.RawMessage(c.meta)), c.want)
	}
}

func TestAQuestionCarriesTheTraceOfItsCall(t *testing.T) {
	is := is.New(t)
	trace := mcp.Trace{Baggage: "k=v"}
	is.Equal(string(trace.On(json.RawMessage(`{"message":"m"}`))), `{"message":"m","_meta":{"baggage":"k=v"}}`)
	is.Equal(string(trace.On(json.RawMessage(`{"_meta":{}}`))), `{"_meta":{}}`)               // its own trace
	is.Equal(string(mcp.Trace{}.On(json.RawMessage(`{ "message":"m"}`))), `{ "message":"m"}`) // unchanged
}

func TestProgramsGetTheTraceInVariables(t *testing.T) {
	is := is.New(t)
	is.Equal(mcp.Trace{Parent: "p", Baggage: "b"}.Environment(), []string{"TRACEPARENT=p", "BAGGAGE=b"})
	is.Equal(len(mcp.Trace{}.Environment()), 0)
}
