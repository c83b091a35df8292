package main

import (
	"slices"
	"testing"
)

func TestWhatScriptsGetAndDoNotGetIsRead(t *testing.T) {
	for _, name := range forScripts {
		if !slices.Contains(tableNames(), name) {
			t.Errorf("scripts get %s, which is not in the table", name)
		}
	}
	for _, name := range secrets {
		if !slices.Contains(variableNames(), name) || slices.Contains(forScripts, name) {
			t.Errorf("%s is a secret, but not one of the variables, or scripts get it", name)
		}
	}
}
