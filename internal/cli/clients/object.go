package clients

import (
	"maps"
	"slices"
	"strings"
)

// An object is what is written into files: members in order. Values are string, bool, int,
// []string and object.
type object []member

type member struct {
	name  string
	value any
}

// nested returns a value within objects, one for each name of a path.
func nested(path []string, value any) any {
	for _, name := range slices.Backward(path) {
		value = object{{name, value}}
	}
	return value
}

// variables returns variables as members, by name.
func variables(env map[string]string) object {
	o := object{}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		o = append(o, member{name, env[name]})
	}
	return o
}

// upper returns variables with names in upper case.
func upper(env map[string]string) map[string]string {
	o := make(map[string]string, len(env))
	for name, value := range env {
		o[strings.ToUpper(name)] = value
	}
	return o
}
