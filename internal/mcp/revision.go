package mcp

// A Revision is one published version of the protocol and what it knows. Code
// asks its fields; it does not compare version strings.
type Revision struct {
	Version string // the date that names it on the wire

	Batches          bool // arrays of messages
	Completions      bool // the capability key "completions"
	ProgressMessages bool // "message" in progress notifications
	ToolAnnotations  bool // "annotations" on tools
	Titles           bool // "title" on tools, prompts, resources and implementations
	StructuredOutput bool // "outputSchema" and "structuredContent"
	Meta             bool // "_meta" on tools and content
	Icons            bool // "icons", and "description" and "websiteUrl" of implementations
	Audio            bool // audio content
	ResourceLinks    bool // resource_link content
	Elicitation      bool // elicitation/create
	ElicitationModes bool // its "mode", form or url
}

// revisions are the ones a session is opened with by initialize, newest first.
var revisions = []Revision{
	{
		Version: "2025-11-25", Completions: true, ProgressMessages: true, ToolAnnotations: true, Titles: true,
		StructuredOutput: true, Meta: true, Icons: true, Audio: true, ResourceLinks: true,
		Elicitation: true, ElicitationModes: true,
	},
	{
		Version: "2025-06-18", Completions: true, ProgressMessages: true, ToolAnnotations: true, Titles: true,
		StructuredOutput: true, Meta: true, Audio: true, ResourceLinks: true, Elicitation: true,
	},
	{
		Version: "2025-03-26", Batches: true, Completions: true, ProgressMessages: true, ToolAnnotations: true,
		Audio: true,
	},
	{
		Version: "2024-11-05",
	},
}

// Latest is the newest revision that is opened by initialize.
func Latest() *Revision { return &revisions[0] }

// Negotiate returns the revision that answers a request for version: that one,
// or the newest where it is not known (L-01, L-02).
func Negotiate(version string) *Revision {
	for i := range revisions {
		if revisions[i].Version == version {
			return &revisions[i]
		}
	}
	return Latest()
}
