package main

import (
	"os"
	"strings"
	"testing"

	"github.com/matryer/is"
)

func TestAWordOfOtherProgramsLeadsToACommandThatThereIs(t *testing.T) {
	root := command(streams{os.Stdin, os.Stdout, os.Stderr}, nil, func(int) {})
	for word, meant := range synonyms() {
		t.Run(word, func(t *testing.T) {
			is := is.New(t)
			_, rest, _ := root.Find([]string{word})
			is.Equal(rest, []string{word}) // it is not a command itself
			for _, path := range meant {
				words := strings.Fields(path)
				found, rest, err := root.Find(words)
				is.NoErr(err)
				is.True(found != root)
				for _, flag := range rest {
					name, isFlag := strings.CutPrefix(flag, "--")
					is.True(isFlag && found.Flag(name) != nil || len(found.ValidArgs) > 0) // a flag or a word of the command
				}
			}
		})
	}
}
