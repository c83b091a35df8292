package jq

import (
	"maps"
	"reflect"
	"slices"
	"weak"
)

// orders remembers the order of the keys of objects. Objects are Go maps, which have
// none; a map is known by its address. The references are weak, so that an object that
// nobody needs any more goes, though its order was known.
//
// Objects are never changed once they are known. An object with one key or none needs no
// entry. It serves one goroutine.
type orders struct {
	keys  map[weak.Pointer[byte]][]string
	size  int // of all keys together
	sweep int // size at which the entries of objects that are gone are removed
}

func identity(object map[string]any) weak.Pointer[byte] {
	return weak.Make((*byte)(reflect.ValueOf(object).UnsafePointer()))
}

// set notes the order of an object. keys must be all its keys, and not change any more.
func (o *orders) set(object map[string]any, keys []string) {
	if len(keys) < 2 {
		return
	}
	if o.size += len(keys); o.size > o.sweep {
		o.forget()
	}
	o.keys[identity(object)] = keys
}

// forget removes the entries of objects that are gone.
func (o *orders) forget() {
	if o.keys == nil {
		o.keys = map[weak.Pointer[byte]][]string{}
	}
	o.size = 0
	for p, keys := range o.keys {
		if p.Value() == nil {
			delete(o.keys, p)
		} else {
			o.size += len(keys)
		}
	}
	o.sweep = 2*o.size + 1<<14
}

// known reports that the order of an object is known. That of one key or none always is.
func (o *orders) known(object map[string]any) bool {
	if len(object) < 2 {
		return true
	}
	_, ok := o.keys[identity(object)]
	return ok
}

// of returns the keys of an object in their order, and sorted if it is not known. They
// are its keys in any case, so that no fault in the order could ever change a value.
func (o *orders) of(object map[string]any) []string {
	if len(object) > 1 && len(o.keys) > 0 {
		keys := o.keys[identity(object)]
		strange := func(k string) bool { _, ok := object[k]; return !ok }
		if len(keys) == len(object) && !slices.ContainsFunc(keys, strange) {
			return keys
		}
	}
	return slices.Sorted(maps.Keys(object))
}
