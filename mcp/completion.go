package mcp

// CompleteParams are the params of completion/complete.
type CompleteParams struct {
	Ref struct {
		Type string `json:"type"` // ref/prompt or ref/resource
		Name string `json:"name"` // of a prompt
		URI  string `json:"uri"`  // of a resource template
	} `json:"ref"`
	Argument struct {
		Name  *string `json:"name"`
		Value *string `json:"value"`
	} `json:"argument"`
	Context struct {
		Arguments Arguments `json:"arguments"`
	} `json:"context"`

	// Extensions of ours: the number of values in a page, and where it begins.
	Limit  int     `json:"limit"`
	Cursor *string `json:"cursor"`
	Params
}

// CompleteResult is the result: at most 100 values (CM-02).
type CompleteResult struct {
	Completion struct {
		Values     []string `json:"values"`
		Total      *int     `json:"total,omitzero"` // nil: unknown
		HasMore    bool     `json:"hasMore"`
		NextCursor string   `json:"nextCursor,omitzero"` // an extension of ours
	} `json:"completion"`
	Result
}
