package mcp

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// A BlockError describes what is wrong with a block of content, or with a value in place of one.
type BlockError struct {
	At  string // a JSON pointer into the block
	Why string
}

func (e *BlockError) Error() string {
	if e.At == "" {
		return "a block of content " + e.Why
	}
	return e.At + " " + e.Why
}

// Foreign reports whether the value is not an invalid block but something else: not an object, or
// of another type.
func (e *BlockError) Foreign() bool { return e.At == "" || e.At == "/type" }

// A block is a valid block.
type block struct {
	kind, mimeType, uri, name string
}

// commonMembers holds the members that blocks of every kind may have. Null means absent.
type commonMembers struct {
	Annotations *struct {
		Audience     []string `json:"audience"`
		Priority     *float64 `json:"priority"`
		LastModified *string  `json:"lastModified"`
	} `json:"annotations"`
	Meta *Declared `json:"_meta"`
}

// readBlock reads a block of any revision.
func readBlock(written []byte) (b block, err error) {
	var typed struct {
		Type json.Value `json:"type"`
	}
	if json.Value(written).Kind() != '{' || json.Unmarshal(written, &typed, json.Lenient) != nil {
		return b, &BlockError{"", "must be an object"}
	}
	switch b.kind = json.Text(typed.Type); b.kind {
	case "text":
		var o struct {
			Text *string `json:"text"`
			commonMembers
		}
		if err = decode(written, &o, &o.commonMembers); err == nil {
			_, err = requiredText("/text", o.Text)
		}
	case "image", "audio":
		var o struct {
			Data     *string `json:"data"`
			MimeType *string `json:"mimeType"`
			commonMembers
		}
		if err = decode(written, &o, &o.commonMembers); err == nil {
			err = checkBase64("/data", o.Data)
		}
		if err == nil {
			b.mimeType, err = nonEmptyText("/mimeType", o.MimeType)
		}
	case "resource":
		err = readResource(written)
	case "resource_link":
		b.uri, b.name, err = readLink(written)
	default:
		err = &BlockError{"/type", "must be text, image, audio, resource or resource_link"}
	}
	return b, err
}

func readResource(written []byte) error {
	var o struct {
		Resource *struct {
			URI      *string   `json:"uri"`
			MimeType *string   `json:"mimeType"`
			Text     *string   `json:"text"`
			Blob     *string   `json:"blob"`
			Meta     *Declared `json:"_meta"`
		} `json:"resource"`
		commonMembers
	}
	if err := decode(written, &o, &o.commonMembers); err != nil {
		return err
	}
	if o.Resource == nil {
		return &BlockError{"/resource", "is missing"}
	}
	if _, err := nonEmptyText("/resource/uri", o.Resource.URI); err != nil {
		return err
	}
	if (o.Resource.Text == nil) == (o.Resource.Blob == nil) {
		return &BlockError{"/resource", "must have either text or blob"}
	}
	if o.Resource.Blob == nil {
		return nil
	}
	return checkBase64("/resource/blob", o.Resource.Blob)
}

func readLink(written []byte) (uri, name string, err error) {
	var o struct {
		URI         *string `json:"uri"`
		Name        *string `json:"name"`
		Title       *string `json:"title"`
		Description *string `json:"description"`
		MimeType    *string `json:"mimeType"`
		Size        *int64  `json:"size"`
		Icons       []struct {
			Src *string `json:"src"`
		} `json:"icons"`
		commonMembers
	}
	if err = decode(written, &o, &o.commonMembers); err != nil {
		return "", "", err
	}
	for i, icon := range o.Icons {
		if _, err = nonEmptyText(fmt.Sprintf("/icons/%d/src", i), icon.Src); err != nil {
			return "", "", err
		}
	}
	if uri, err = nonEmptyText("/uri", o.URI); err == nil {
		name, err = nonEmptyText("/name", o.Name)
	}
	return uri, name, err
}

// decode reads a block into o, and checks the members that blocks of every kind may have.
func decode(written []byte, o any, a *commonMembers) error {
	var s *json.SemanticError
	switch err := json.Unmarshal(written, o, json.Lenient); {
	case errors.As(err, &s):
		return &BlockError{string(s.JSONPointer), "has the wrong type"}
	case err != nil:
		return &BlockError{"", "must be an object"}
	case a.Annotations == nil:
		return nil
	}
	for i, role := range a.Annotations.Audience {
		if role != "user" && role != "assistant" {
			return &BlockError{fmt.Sprintf("/annotations/audience/%d", i), "must be user or assistant"}
		}
	}
	if p := a.Annotations.Priority; p != nil && !(*p >= 0 && *p <= 1) {
		return &BlockError{"/annotations/priority", "must be from 0 to 1"}
	}
	return nil
}

// requiredText returns the text of a required member.
func requiredText(at string, text *string) (string, error) {
	if text == nil {
		return "", &BlockError{at, "is missing"}
	}
	return *text, nil
}

// nonEmptyText returns the text of a member that must not be empty.
func nonEmptyText(at string, text *string) (string, error) {
	if text == nil || *text == "" {
		return "", &BlockError{at, "is missing"}
	}
	return *text, nil
}

// checkBase64 refuses text that is not base64 of RFC 4648 (T-25, R-08), except for line breaks.
func checkBase64(at string, text *string) error {
	if text == nil {
		return &BlockError{at, "is missing"}
	}
	d := base64.NewDecoder(base64.StdEncoding.Strict(), strings.NewReader(*text))
	if _, err := io.Copy(io.Discard, d); err != nil {
		return &BlockError{at, "is not standard base64 with padding"}
	}
	return nil
}
