package mediatype

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestTheTypeOfAFile(t *testing.T) {
	cases := []struct{ name, contents, want string }{
		{"a/b.MD", "\x00", "text/markdown"}, // its name counts
		{"x.ts", "", "text/x-typescript"},   // not the video type of some systems
		{"", "", "text/plain"},
		{"unknown.x", "Grüße", "text/plain"},
		{"x", "a\x00b", "application/octet-stream"},
		{"x", "\xff\xfe", "application/octet-stream"},
		{"x", strings.Repeat("a", Sniffed-1) + "ü", "text/plain"}, // a letter is cut, not the text
		{"x", "\uFEFF#!/bin/sh\n", "application/x-sh"},
		{"x", " \n<!DOCTYPE html>", "text/html"},
		{"x", "\x89PNG\r\n\x1a\n", "image/png"},
		{"x", "RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"},
	}
	for _, c := range cases {
		is.New(t).Equal(Of(c.name, []byte(c.contents)), c.want)
	}
}

func TestATypeIsWrittenPlainly(t *testing.T) {
	is := is.New(t)
	is.Equal(Plain("text/html; charset=UTF-8"), "text/html")
	is.Equal(Plain("text/plain; charset=iso-8859-1"), "text/plain; charset=iso-8859-1")
	is.Equal(Plain("no type"), "")
}
