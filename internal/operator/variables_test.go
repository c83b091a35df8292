package operator

import (
	"slices"
	"testing"
)

func TestWhatScriptsGetAndDoNotGetIsRead(t *testing.T) {
	for _, name := range ForScripts {
		if !slices.Contains(ServerNames(), name) {
			t.Errorf("scripts get %s, which is not in the table", name)
		}
	}
	for _, name := range Secrets {
		if !slices.Contains(Names(), name) || slices.Contains(ForScripts, name) {
			t.Errorf("%s is a secret, but not one of the Map, or scripts get it", name)
		}
	}
}
