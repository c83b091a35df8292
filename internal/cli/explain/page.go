package explain

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"strings"
)

//go:embed assets/page.html
var page string

//go:embed assets/page.css
var style string

//go:embed assets/page.js
var script string

// Page returns a page of HTML that shows the report. It stands alone, and its policy lets run nothing but its own
// script: what a tool has printed is data in it.
func (r *Report) Page() ([]byte, error) {
	data, err := json.Marshal(r) // which escapes <, so no data ends its element
	if err != nil {
		return nil, err
	}
	policy := "default-src 'none'; base-uri 'none'; form-action 'none'; style-src " + hash(style) +
		"; script-src " + hash(script)
	parts := strings.NewReplacer("{{policy}}", policy, "{{style}}", style, "{{script}}", script, "{{data}}", string(data))
	return []byte(parts.Replace(page)), nil
}

// hash is a text in a content security policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
