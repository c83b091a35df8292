package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/matryer/is"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The eras of the protocol, by a revision: sessions that initialize opens, and
// requests without a session.
const (
	legacy = "2025-11-25"
	modern = "2026-07-28"
)

// A fixture is a test of a script of conformance/.
type fixture struct {
	name  string
	check func(t *testing.T, era string)
}

// TestTheFixturesOfTheConformanceSuite checks what the official conformance suite
// checks, with the official client instead of the suite.
func TestTheFixturesOfTheConformanceSuite(t *testing.T) {
	fixtures := []fixture{
		{name: "lists", check: checkLists},
		{name: "schema", check: checkSchema},
		{name: "content", check: checkContent},
		{name: "structured content", check: checkStructured},
		{name: "error", check: checkError},
		{name: "echo", check: checkEcho},
		{name: "logging", check: checkLogging},
		{name: "progress", check: checkProgress},
		{name: "cancellation", check: checkCancellation},
		{name: "sampling", check: checkSampling},
		{name: "elicitation", check: checkElicitation},
		{name: "defaults", check: checkDefaults},
		{name: "choices", check: checkChoices},
		{name: "questions", check: checkQuestions},
		{name: "several questions", check: checkSeveral},
		{name: "rounds", check: checkRounds},
		{name: "capabilities", check: checkCapabilities},
		{name: "missing capability", check: checkMissing},
		{name: "prompts", check: checkPrompts},
		{name: "asking prompt", check: checkAskingPrompt},
		{name: "completion", check: checkCompletion},
		{name: "resources", check: checkResources},
		{name: "subscription", check: checkSubscription},
		{name: "changes", check: checkChanges},
	}
	for _, era := range []string{legacy, modern} {
		for _, f := range fixtures {
			t.Run(era+"/"+f.name, func(t *testing.T) {
				t.Parallel()
				f.check(t, era)
			})
		}
	}
}

func checkLists(t *testing.T, era string) {
	is := is.New(t)
	g := meet(t, era, unable)
	tools, err := g.ListTools(patient(t), nil)
	is.NoErr(err)
	is.Equal(len(tools.Tools), 38)
	is.Equal(tools.NextCursor, "") // all on one page
	nothing := map[string]any{"type": "object", "properties": map[string]any{}}
	with := map[string]bool{
		"json_schema_2020_12_tool": true,
		"test_sampling":            true,
		"test_elicitation":         true,
		"test_slow":                true,
		"test_echo":                true,
		"test_x_mcp_header":        true,
		"confirm_delete":           true,
		"greet":                    true,
		"slow_compute":             true,
	}
	for _, tool := range tools.Tools {
		is.True(tool.Description != "") // each is described
		if !with[tool.Name] {
			is.Equal(cmp.Diff(tool.InputSchema, any(nothing)), "") // takes nothing
		}
	}
	prompts, err := g.ListPrompts(patient(t), nil)
	is.NoErr(err)
	is.Equal(len(prompts.Prompts), 5)
	is.Equal(prompts.NextCursor, "")
	for _, prompt := range prompts.Prompts {
		is.True(prompt.Description != "")
	}
	resources, err := g.ListResources(patient(t), nil)
	is.NoErr(err)
	var uris []string
	for _, r := range resources.Resources {
		uris = append(uris, r.URI+" "+r.MIMEType)
	}
	is.Equal(strings.Join(uris, ", "), "test://static-binary image/png, "+
		"test://static-text text/plain, test://watched-resource text/plain")
	templates, err := g.ListResourceTemplates(patient(t), nil)
	is.NoErr(err)
	is.Equal(len(templates.ResourceTemplates), 1)
	is.Equal(templates.ResourceTemplates[0].URITemplate, "test://template/{id}/data")
}

func checkSchema(t *testing.T, era string) {
	is := is.New(t)
	g := meet(t, era, unable)
	const name = "json_schema_2020_12_tool"
	text, err := os.ReadFile(filepath.Join(g.root, "tools", name+".meta.json"))
	is.NoErr(err)
	var metadata struct{ InputSchema any }
	is.NoErr(json.Unmarshal(text, &metadata))
	tools, err := g.ListTools(patient(t), nil)
	is.NoErr(err)
	at := slices.IndexFunc(tools.Tools, func(tool *mcp.Tool) bool { return tool.Name == name })
	is.Equal(cmp.Diff(tools.Tools[at].InputSchema, metadata.InputSchema), "") // as it was written
	is.Equal(textOf(call(t, g.ClientSession, name, `{"email":"a@b"}`)), `{"email":"a@b"}`+"\n")
	// if and then count
	is.True(call(t, g.ClientSession, name, `{"contactMethod":"phone","email":"a@b"}`).IsError)
	// so does additionalProperties
	is.True(call(t, g.ClientSession, name, `{"email":"a@b","fax":1}`).IsError)
}

func checkContent(t *testing.T, era string) {
	is := is.New(t)
	g := meet(t, era, unable)
	image, err := os.ReadFile(filepath.Join(g.root, "media", "dot.png"))
	is.NoErr(err)
	sound, err := os.ReadFile(filepath.Join(g.root, "media", "beep.wav"))
	is.NoErr(err)
	picture := &mcp.ImageContent{Data: image, MIMEType: "image/png"}
	for tool, want := range map[string][]mcp.Content{
		"test_simple_text":   {&mcp.TextContent{Text: "This is a simple text response for testing."}},
		"test_image_content": {picture},
		"test_audio_content": {&mcp.AudioContent{Data: sound, MIMEType: "audio/wav"}},
		"test_embedded_resource": {&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{
			URI: "test://embedded-resource", MIMEType: "text/plain", Text: "This is an embedded resource content.",
		}}},
		"test_multiple_content_types": {
			&mcp.TextContent{Text: "Multiple content types test:"},
			picture,
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{
				URI: "test://mixed-content-resource", MIMEType: "application/json", Text: `{"test":"data","value":123}`,
			}},
		},
	} {
		result := call(t, g.ClientSession, tool, "")
		is.True(!result.IsError)
		is.Equal(cmp.Diff(result.Content, want), "")
	}
}

func checkStructured(t *testing.T, era string) {
	is := is.New(t)
	result := call(t, meet(t, era, unable).ClientSession, "test_structured_content", "")
	is.Equal(textOf(result), "Sunny, 22.5 degrees")
	is.Equal(cmp.Diff(result.StructuredContent, any(map[string]any{"sky": "sunny", "temperature": 22.5})), "")
}

func checkError(t *testing.T, era string) {
	is := is.New(t)
	result := call(t, meet(t, era, unable).ClientSession, "test_error_handling", "")
	is.True(result.IsError)
	is.Equal(textOf(result), "This tool intentionally returns an error for testing")
}

func checkEcho(t *testing.T, era string) {
	is := is.New(t)
	g := meet(t, era, unable)
	for _, text := range []string{
		"",
		"plain",
		"\x00",
		"a\u2028b",
		"\"\\\n\t\r ",
		"日本 🎉",
		strings.Repeat("x", 1<<20),
	} {
		arguments, err := json.Marshal(map[string]string{"message": text})
		is.NoErr(err)
		result := call(t, g.ClientSession, "test_echo", string(arguments))
		is.True(!result.IsError)
		is.Equal(len(result.Content), 1) // also for no text
		is.True(textOf(result) == text)  // as it was sent
	}
}

func checkLogging(t *testing.T, era string) {
	is := is.New(t)
	g := meet(t, era, unable)
	at := func(level mcp.LoggingLevel, tool string) { // a session sets a level, a call of its own brings it
		params := &mcp.CallToolParams{Name: tool}
		if era == modern {
			params.Meta = mcp.Meta{"io.modelcontextprotocol/logLevel": string(level)}
		} else {
			is.NoErr(g.SetLoggingLevel(patient(t), &mcp.SetLoggingLevelParams{Level: level}))
		}
		_, err := g.CallTool(patient(t), params)
		is.NoErr(err)
	}
	at("info", "test_tool_with_logging")
	is.Equal(next(t, g.told), "info: Tool execution started")
	is.Equal(next(t, g.told), "info: Tool processing data")
	is.Equal(next(t, g.told), "info: Tool execution completed")
	at("warning", "test_logging_tool") // below the level
	at("debug", "test_logging_tool")
	is.Equal(next(t, g.told), "info: This is logged")
	is.Equal(len(g.told), 0) // once
}

func checkProgress(t *testing.T, era string) {
	is := is.New(t)
	g := meet(t, era, unable)
	call(t, g.ClientSession, "test_tool_with_progress", "") // no progress is sent, as the call has no token
	params := &mcp.CallToolParams{Name: "test_tool_with_progress"}
	params.SetProgressToken("p")
	_, err := g.CallTool(patient(t), params)
	is.NoErr(err)
	is.Equal(next(t, g.told), "p: 0 of 100")
	is.Equal(next(t, g.told), "p: 50 of 100")
	is.Equal(next(t, g.told), "p: 100 of 100")
	is.Equal(len(g.told), 0)
}

func checkCancellation(t *testing.T, era string) {
	is := is.New(t)
	g := meet(t, era, unable)
	is.Equal(textOf(call(t, g.ClientSession, "test_slow", `{"seconds":0.2}`)), "That was slow.")
	ctx, cancel := context.WithCancel(patient(t))
	go func() {
		<-g.told
		cancel()
	}()
	params := &mcp.CallToolParams{Name: "test_slow"}
	params.SetProgressToken("p")
	_, err := g.CallTool(ctx, params)
	is.True(errors.Is(err, context.Canceled)) // long before its 30 seconds
	is.Equal(textOf(call(t, g.ClientSession, "test_simple_text", "")), "This is a simple text response for testing.")
}

func checkSampling(t *testing.T, era string) {
	is := is.New(t)
	g := meet(t, era, able)
	is.Equal(textOf(call(t, g.ClientSession, "test_sampling", `{"prompt":"Hi"}`)), "LLM response: Paris")
	is.Equal(next(t, g.asked), sampled("Hi"))
	is.Equal(textOf(call(t, g.ClientSession, "test_input_required_result_sampling", "")), "Paris\n")
	is.Equal(next(t, g.asked), sampled("What is the capital of France?"))
	result := call(t, meet(t, era, unable).ClientSession, "test_sampling", `{"prompt":"Hi"}`)
	is.True(result.IsError) // nobody to ask
}

// sampled returns the request to a client for a sample with this prompt, as JSON.
func sampled(prompt string) string {
	return `sampling/createMessage {"messages":[{"content":{"type":"text","text":"` + prompt + `"},"role":"user"}],` +
		`"maxTokens":100}`
}

// form returns the request to a client for a form with these fields, as JSON.
func form(fields string) string {
	return `elicitation/create {"properties":{` + fields + `},`
}

func checkElicitation(t *testing.T, era string) {
	is := is.New(t)
	g := meet(t, era, able)
	is.Equal(textOf(call(t, g.ClientSession, "test_elicitation", `{"message":"Who?"}`)),
		`User response: {"action":"accept","content":{"email":"ada@example.com","username":"ada"}}`)
	is.Equal(next(t, g.asked), form(`"email":{"description":"Your address","type":"string"},`+
		`"username":{"description":"Your name","type":"string"}`)+
		`"required":["username","email"],"type":"object"}`)
	is.Equal(textOf(call(t, g.ClientSession, "test_streaming_elicitation", "")),
		`Elicitation completed: {"action":"accept","content":{"confirmed":true}}`)
	is.Equal(textOf(call(t, meet(t, era, unable).ClientSession, "test_elicitation", `{"message":"Who?"}`)),
		`User response: {"action":"decline","content":null,"reason":"the client does not support it"}`)
}

func checkDefaults(t *testing.T, era string) {
	is := is.New(t)
	g := meet(t, era, able)
	is.Equal(textOf(call(t, g.ClientSession, "test_elicitation_sep1034_defaults", "")),
		`Elicitation completed: {"action":"accept","content":`+
			`{"age":30,"name":"John Doe","score":95.5,"status":"active","verified":true}}`)
	is.Equal(next(t, g.asked), form(`"age":{"default":30,"type":"integer"},"name":{"default":"John Doe","type":"string"},`+
		`"score":{"default":95.5,"type":"number"},`+
		`"status":{"default":"active","enum":["active","inactive","pending"],"type":"string"},`+
		`"verified":{"default":true,"type":"boolean"}`)+`"required":[],"type":"object"}`)
}

func checkChoices(t *testing.T, era string) {
	is := is.New(t)
	g := meet(t, era, able)
	is.Equal(textOf(call(t, g.ClientSession, "test_elicitation_sep1330_enums", "")),
		`Elicitation completed: {"action":"accept","content":{"legacyEnum":"opt3",`+
			`"titledMulti":["value1"],"titledSingle":"value2",`+
			`"untitledMulti":["option1","option3"],"untitledSingle":"option1"}}`)
	titled := func(what string) string {
		return `[{"const":"value1","title":"First ` + what + `"},` +
			`{"const":"value2","title":"Second ` + what + `"},` +
			`{"const":"value3","title":"Third ` + what + `"}]`
	}
	const options = `"enum":["option1","option2","option3"],"type":"string"`
	is.Equal(next(t, g.asked), form(`"legacyEnum":{"enum":["opt1","opt2","opt3"],`+
		`"enumNames":["Option One","Option Two","Option Three"],"type":"string"},`+
		`"titledMulti":{"items":{"anyOf":`+titled("Choice")+`},"type":"array"},`+
		`"titledSingle":{"oneOf":`+titled("Option")+`,"type":"string"},`+
		`"untitledMulti":{"items":{`+options+`},"type":"array"},`+
		`"untitledSingle":{`+options+`}`)+`"required":[],"type":"object"}`)
}

func checkQuestions(t *testing.T, era string) {
	is := is.New(t)
	g := meet(t, era, able)
	for tool, want := range map[string]string{
		"test_input_required_result_elicitation":    "Hello, Ada!\n",
		"test_input_required_result_list_roots":     "file:///srv/a\nfile:///srv/b\n",
		"test_input_required_result_request_state":  "state-ok\n",
		"test_input_required_result_tampered_state": "The state is as it was.\n",
		"test_list_roots":                           "file:///srv/a\nfile:///srv/b\n",
	} {
		is.Equal(textOf(call(t, g.ClientSession, tool, "")), want)
	}
}

func checkSeveral(t *testing.T, era string) {
	is := is.New(t)
	g := meet(t, era, able)
	is.Equal(textOf(call(t, g.ClientSession, "test_input_required_result_multiple_inputs", "")), "Paris, Ada: 2 roots\n")
	methods := map[string]bool{}
	for range 2 {
		method, _, _ := strings.Cut(next(t, g.asked), " ")
		methods[method] = true
	}
	is.Equal(len(methods), 2) // of two kinds, in any order, and the roots
}

func checkRounds(t *testing.T, era string) {
	is := is.New(t)
	g := meet(t, era, able)
	is.Equal(textOf(call(t, g.ClientSession, "test_input_required_result_multi_round", "")), "Ada likes green.")
	is.True(strings.HasPrefix(next(t, g.asked), form(`"name":{"type":"string"}`)))
	is.True(strings.HasPrefix(next(t, g.asked), form(`"color":{"type":"string"}`)))
	is.Equal(len(g.asked), 0) // each once
}

func checkCapabilities(t *testing.T, era string) {
	is := is.New(t)
	const tool = "test_input_required_result_capabilities"
	is.Equal(textOf(call(t, meet(t, era, able).ClientSession, tool, "")), "asked for client_roots, greeting, user_name\n")
	is.Equal(textOf(call(t, meet(t, era, unable).ClientSession, tool, "")), "The client cannot be asked.")
}

func checkMissing(t *testing.T, era string) {
	is := is.New(t)
	is.Equal(textOf(call(t, meet(t, era, able).ClientSession, "test_missing_capability", "")), "The client has a model.")
	result, err := meet(t, era, unable).CallTool(patient(t), &mcp.CallToolParams{Name: "test_missing_capability"})
	if era == legacy {
		is.NoErr(err)
		is.True(result.IsError)
		is.Equal(textOf(result), "this needs a client with sampling")
		return
	}
	var refused *jsonrpc.Error
	is.True(errors.As(err, &refused))
	is.Equal(refused.Code, int64(-32021)) // N-07
	is.Equal(string(refused.Data), `{"requiredCapabilities":{"sampling":{}}}`)
}

func checkPrompts(t *testing.T, era string) {
	is := is.New(t)
	g := meet(t, era, unable)
	image, err := os.ReadFile(filepath.Join(g.root, "media", "dot.png"))
	is.NoErr(err)
	for name, want := range map[string][]mcp.Content{
		"test_simple_prompt":         {&mcp.TextContent{Text: "This is a simple prompt for testing.\n"}},
		"test_prompt_with_arguments": {&mcp.TextContent{Text: "Prompt with arguments: arg1='{{arg2}}', arg2='$(b)'\n"}},
		"test_prompt_with_embedded_resource": {
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{
				URI: "test://example-resource", MIMEType: "text/plain", Text: "Embedded resource content for testing.",
			}},
			&mcp.TextContent{Text: "Please process the embedded resource above."},
		},
		"test_prompt_with_image": {
			&mcp.ImageContent{Data: image, MIMEType: "image/png"},
			&mcp.TextContent{Text: "Please analyze the image above."},
		},
	} {
		prompt, err := g.GetPrompt(patient(t), &mcp.GetPromptParams{Name: name, Arguments: map[string]string{
			"arg1": "{{arg2}}", "arg2": "$(b)", "resourceUri": "test://example-resource",
		}})
		is.NoErr(err)
		var got []mcp.Content
		for _, m := range prompt.Messages {
			is.Equal(string(m.Role), "user")
			got = append(got, m.Content)
		}
		is.Equal(cmp.Diff(got, want), "")
	}
	_, err = g.GetPrompt(patient(t), &mcp.GetPromptParams{
		Name:      "test_prompt_with_arguments",
		Arguments: map[string]string{"arg1": "a"},
	})
	is.True(err != nil) // arg2 is missing
}

func checkAskingPrompt(t *testing.T, era string) {
	is := is.New(t)
	g := meet(t, era, able)
	prompt, err := g.GetPrompt(patient(t), &mcp.GetPromptParams{Name: "test_input_required_result_prompt"})
	is.NoErr(err)
	is.Equal(prompt.Messages[0].Content.(*mcp.TextContent).Text, "Use this context: tea\n")
	is.True(strings.HasPrefix(next(t, g.asked), form(`"context":{"type":"string"}`)))
}

func checkCompletion(t *testing.T, era string) {
	is := is.New(t)
	completed, err := meet(t, era, unable).Complete(patient(t), &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: "test_prompt_with_arguments"},
		Argument: mcp.CompleteParamsArgument{Name: "arg1", Value: "par"},
	})
	is.NoErr(err)
	is.Equal(strings.Join(completed.Completion.Values, " "), "paris parma park")
}

func checkResources(t *testing.T, era string) {
	is := is.New(t)
	g := meet(t, era, unable)
	image, err := os.ReadFile(filepath.Join(g.root, "media", "dot.png"))
	is.NoErr(err)
	for _, want := range []*mcp.ResourceContents{
		{URI: "test://static-text", MIMEType: "text/plain", Text: "This is the content of the static text resource."},
		{URI: "test://static-binary", MIMEType: "image/png", Blob: image},
		{
			URI:      "test://template/7%22/data",
			MIMEType: "application/json",
			Text:     `{"template": "test://template/{id}/data", "variables": {"id":"7\""}}`,
		},
	} {
		read, err := g.ReadResource(patient(t), &mcp.ReadResourceParams{URI: want.URI})
		is.NoErr(err)
		is.Equal(cmp.Diff(read.Contents, []*mcp.ResourceContents{want}), "")
	}
	_, err = g.ReadResource(patient(t), &mcp.ReadResourceParams{URI: "test://nothing"})
	is.True(err != nil) // not found
}

func checkSubscription(t *testing.T, era string) {
	is := is.New(t)
	g := meet(t, era, unable)
	const uri = "test://watched-resource"
	read := func() string {
		contents, err := g.ReadResource(patient(t), &mcp.ReadResourceParams{URI: uri})
		is.NoErr(err)
		return contents.Contents[0].Text
	}
	before := read()
	is.NoErr(g.Subscribe(patient(t), &mcp.SubscribeParams{URI: uri}))
	is.Equal(next(t, g.told), "updated "+uri)
	is.True(read() != before)
	is.NoErr(g.Unsubscribe(patient(t), &mcp.UnsubscribeParams{URI: uri}))
}

func checkChanges(t *testing.T, era string) {
	is := is.New(t)
	g := meet(t, era, unable)
	count := func() [2]int {
		tools, err := g.ListTools(patient(t), nil)
		is.NoErr(err)
		prompts, err := g.ListPrompts(patient(t), nil)
		is.NoErr(err)
		return [2]int{len(tools.Tools), len(prompts.Prompts)}
	}
	is.Equal(count(), [2]int{38, 5})
	for _, more := range []int{1, 0} { // it comes, it goes
		call(t, g.ClientSession, "test_trigger_tool_change", "")
		is.Equal(next(t, g.told), "tools changed")
		call(t, g.ClientSession, "test_trigger_prompt_change", "")
		is.Equal(next(t, g.told), "prompts changed")
		is.Equal(count(), [2]int{38 + more, 5 + more})
	}
}
