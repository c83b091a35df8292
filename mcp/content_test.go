package mcp_test

import (
	"errors"
	"testing"

	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

func TestAnInvalidBlockIsAnErrorWithItsPointer(t *testing.T) {
	for _, c := range []struct{ block, at, why string }{
		{`"text"`, "", "must be an object"},
		{`5`, "", "must be an object"},
		{`{`, "", "must be an object"},
		{`{}`, "/type", "must be text, image, audio, resource or resource_link"},
		{`{"type":"video"}`, "/type", "must be text, image, audio, resource or resource_link"},
		{`{"type":5}`, "/type", "must be text, image, audio, resource or resource_link"},
		{`{"type":"text"}`, "/text", "is missing"},
		{`{"type":"text","text":null}`, "/text", "is missing"},
		{`{"type":"text","text":5}`, "/text", "has the wrong type"},
		{`{"type":"image","data":"AA=="}`, "/mimeType", "is missing"},
		{`{"type":"image","mimeType":"image/png"}`, "/data", "is missing"},
		{`{"type":"image","data":"no base64","mimeType":"image/png"}`, "/data", "is not standard base64 with padding"}, // T-25
		{`{"type":"image","data":"AA","mimeType":"image/png"}`, "/data", "is not standard base64 with padding"},
		{`{"type":"image","data":"__8=","mimeType":"image/png"}`, "/data", "is not standard base64 with padding"},
		{`{"type":"image","data":"data:image/png;base64,AA==","mimeType":"image/png"}`, "/data", "is not standard base64 with padding"},
		{`{"type":"audio","data":[],"mimeType":"audio/wav"}`, "/data", "has the wrong type"},
		{`{"type":"audio","data":"AA==","mimeType":""}`, "/mimeType", "is missing"},
		{`{"type":"resource"}`, "/resource", "is missing"},
		{`{"type":"resource","resource":"file:///a"}`, "/resource", "has the wrong type"},
		{`{"type":"resource","resource":{"text":"a"}}`, "/resource/uri", "is missing"},
		{`{"type":"resource","resource":{"uri":"file:///a"}}`, "/resource", "must have either text or blob"}, // PR-05
		{`{"type":"resource","resource":{"uri":"file:///a","text":"a","blob":"AA=="}}`, "/resource", "must have either text or blob"},
		{`{"type":"resource","resource":{"uri":"file:///a","blob":"A"}}`, "/resource/blob", "is not standard base64 with padding"},
		{`{"type":"resource","resource":{"uri":"file:///a","text":"a","_meta":[]}}`, "/resource/_meta", "has the wrong type"},
		{`{"type":"resource","resource":{"uri":"file:///a","text":"a","mimeType":5}}`, "/resource/mimeType", "has the wrong type"},
		{`{"type":"resource_link","name":"a"}`, "/uri", "is missing"},
		{`{"type":"resource_link","uri":"file:///a"}`, "/name", "is missing"},
		{`{"type":"resource_link","uri":"file:///a","name":"a","size":"5"}`, "/size", "has the wrong type"},
		{`{"type":"resource_link","uri":"file:///a","name":"a","icons":[{}]}`, "/icons/0/src", "is missing"},
		{`{"type":"text","text":"a","_meta":5}`, "/_meta", "has the wrong type"},
		{`{"type":"text","text":"a","annotations":[]}`, "/annotations", "has the wrong type"},
		{`{"type":"text","text":"a","annotations":{"audience":"user"}}`, "/annotations/audience", "has the wrong type"},
		{`{"type":"text","text":"a","annotations":{"audience":["user","me"]}}`, "/annotations/audience/1", "must be user or assistant"},
		{`{"type":"text","text":"a","annotations":{"priority":2}}`, "/annotations/priority", "must be from 0 to 1"},
		{`{"type":"text","text":"a","annotations":{"priority":"high"}}`, "/annotations/priority", "has the wrong type"},
		{`{"type":"text","text":"a","annotations":{"lastModified":5}}`, "/annotations/lastModified", "has the wrong type"},
	} {
		t.Run(c.block, func(t *testing.T) {
			is := is.New(t)
			for _, version := range mcp.Versions() {
				_, err := mcp.ContentIn([]byte(c.block), mcp.Lookup(version))
				var fault *mcp.BlockError
				is.True(errors.As(err, &fault))
				is.Equal(fault.At, c.at)
				is.Equal(fault.Why, c.why)
				is.Equal(fault.Foreign(), c.at == "" || c.at == "/type") // data of a tool may look like content
			}
		})
	}
}

func TestABlockIsSentAsWrittenWithoutMembersThatClientsRefuse(t *testing.T) {
	for _, c := range []struct{ block, want string }{
		{`{"type":"text","text":"null","annotations":{"audience":["user"],"priority":1.0},"x":5,"name":5,"_meta":{"k":null}}`, ``},
		{`{"type":"resource","resource":{"uri":"file:///a","text":"","_meta":{}}}`, ``},
		{`{"type":"image","data":"AA==\n","mimeType":"image/png"}`, `{"type":"image","data":"AA==","mimeType":"image/png"}`}, // as the command base64 writes it
		{`{"type":"resource","resource":{"uri":"file:///a","blob":"AA\r\nAA\n"}}`, `{"type":"resource","resource":{"uri":"file:///a","blob":"AAAA"}}`},
		{`{"type":"text","text":"a","annotations":null,"_meta":null}`, `{"type":"text","text":"a"}`}, // as jq writes absent values
		{`{"type":"resource","resource":{"uri":"file:///a","text":"a","blob":null,"mimeType":null}}`, `{"type":"resource","resource":{"uri":"file:///a","text":"a"}}`},
		{`{"type":"text","text":"a","annotations":{"priority":null}}`, `{"type":"text","text":"a","annotations":{}}`},
	} {
		is := is.New(t)
		if c.want == "" {
			c.want = c.block
		}
		got, err := mcp.ContentIn([]byte(c.block), mcp.Latest())
		is.NoErr(err)
		is.Equal(string(got.JSON()), c.want)
	}
}
