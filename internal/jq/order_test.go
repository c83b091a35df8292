package jq

import (
	"runtime"
	"testing"

	"github.com/matryer/is"
)

func TestOrdersForgetObjectsThatAreGone(t *testing.T) {
	is := is.New(t)
	var o orders
	kept := map[string]any{"b": 1, "a": 2}
	o.set(kept, []string{"b", "a"})
	for range 1000 {
		o.set(map[string]any{"d": 1, "c": 2}, []string{"d", "c"})
	}
	is.Equal(len(o.keys), 1001) // all are known
	runtime.GC()
	o.forget()
	is.Equal(len(o.keys), 1)                 // the one that is still there
	is.Equal(o.of(kept), []string{"b", "a"}) // in its order
}

func TestAnOrderThatDoesNotFitIsNotUsed(t *testing.T) {
	is := is.New(t)
	var o orders
	object := map[string]any{"b": 1, "a": 2}
	o.set(object, []string{"b", "x"})
	is.Equal(o.of(object), []string{"a", "b"}) // sorted, and nothing but its keys
	o.set(object, []string{"c", "b", "a"})
	is.Equal(o.of(object), []string{"a", "b"}) // sorted, and nothing but its keys
}
