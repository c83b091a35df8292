package run

import (
	"bytes"
	"fmt"

	"github.com/mcp-bash/mcp-bash/v2/mcp"
)

// read removes from the output what clients would show as garbage, unless KeepCR is set, and notes
// whether it is UTF-8.
func (r *Runtime) read(o *finished) {
	if !r.KeepCR {
		o.stdout.Plain()
	}
	if at, b := o.stdout.NotUTF8(); at >= 0 {
		o.notUTF8 = fmt.Sprintf("byte 0x%02X at offset %d", b, at)
		r.warn(o, "the output is not valid UTF-8: "+o.notUTF8)
	}
}

// printed returns what the tool printed, as a text after lead; nothing if it printed only white
// space. Bytes that are not UTF-8 become U+FFFD, and the text says so.
func (o *finished) printed(lead string) []mcp.Content {
	if o.stdout.First() == 0 {
		return nil
	}
	if o.notUTF8 != "" {
		lead += "(not valid UTF-8, from " + o.notUTF8 + " on; what cannot be shown is U+FFFD)\n"
	}
	return []mcp.Content{mcp.TextIn([]byte(lead), o.stdout.Whole())}
}

// notText returns the result of a tool whose output is not UTF-8. It contains the output if that looks
// like text in another encoding, but not if it looks binary.
func (o *finished) notText() *mcp.CallToolResult {
	var text []mcp.Content
	if bytes.IndexByte(o.stdout.Bytes(), 0) < 0 {
		text = o.printed("")
	}
	return o.failure(fmt.Sprintf("Tool output is not valid UTF-8: %s of %d. Convert text to UTF-8, as with iconv -f "+
		"ISO-8859-1 -t UTF-8; pass on binary data as a resource, by MCP_TOOL_RESOURCES_FILE or "+
		"mcp_result_text_with_resource", o.notUTF8, o.stdout.Total()), text)
}
