package process

import (
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestParseShebang(t *testing.T) {
	for _, tt := range []struct {
		line string
		want shebang
		env  string // the program that env looks for
	}{
		{"", shebang{}, ""},
		{"echo\n", shebang{}, ""},
		{"#!", shebang{}, ""},
		{"#!/bin/sh", shebang{program: "/bin/sh"}, ""},
		{"#! /bin/sh \n", shebang{program: "/bin/sh"}, ""},
		{"#!\t/bin/sh\t-e  -u \nx", shebang{program: "/bin/sh", argument: "-e  -u"}, ""},
		{"#!/bin/sh\r\n", shebang{program: "/bin/sh", cr: true}, ""},
		{"#!/bin/sh\nx\r\n", shebang{program: "/bin/sh"}, ""},
		{"#!/usr/bin/env bash\n", shebang{program: "/usr/bin/env", argument: "bash"}, "bash"},
		{"#!/usr/bin/env bash -e\n", shebang{program: "/usr/bin/env", argument: "bash -e"}, "bash -e"},
		{"#!/usr/bin/env -S bash -e\n", shebang{program: "/usr/bin/env", argument: "-S bash -e"}, "bash"},
		{"#!/usr/bin/env -Sbash\n", shebang{program: "/usr/bin/env", argument: "-Sbash"}, "bash"},
		{"#!/usr/bin/env -S A=1 node x\n", shebang{program: "/usr/bin/env", argument: "-S A=1 node x"}, "node"},
		{"#!/usr/bin/env -S A=1\n", shebang{program: "/usr/bin/env", argument: "-S A=1"}, ""},
		{"#!/usr/bin/env -i bash\n", shebang{program: "/usr/bin/env", argument: "-i bash"}, ""},
		{"#!/usr/bin/env\n", shebang{program: "/usr/bin/env"}, ""},
	} {
		t.Run(tt.line, func(t *testing.T) {
			is := is.New(t)
			got := parseShebang([]byte(tt.line))
			tt.want.whole = strings.HasPrefix(tt.line, "#!") && strings.Contains(tt.line, "\n")
			is.Equal(got, tt.want)
			is.Equal(got.viaEnv(), tt.env)
		})
	}
}

func FuzzParseShebang(f *testing.F) {
	f.Add([]byte("#! /usr/bin/env -S A=1 bash -e\r\n"))
	f.Add([]byte("#!\t\r\n"))
	f.Add([]byte("\xef\xbb\xbf#!/bin/sh"))
	f.Fuzz(func(t *testing.T, head []byte) {
		s := parseShebang(head)
		if strings.ContainsAny(s.program, " \t\n") {
			t.Errorf("program %q has a blank", s.program)
		}
		if s.argument != strings.Trim(s.argument, " \t\n") {
			t.Errorf("argument %q has blanks around it", s.argument)
		}
		if s.program == "" && (s.argument != "" || s.command() != nil) {
			t.Errorf("an argument without a program: %+v", s)
		}
		s.viaEnv()
	})
}
