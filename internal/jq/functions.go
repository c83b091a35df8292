package jq

import (
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/itchyny/gojq"
)

// functions are what prelude.jq and filters call that is written in Go.
type functions struct {
	orders   *orders
	patterns patterns
	inputs   *inputs
	err      io.Writer
}

// options makes the functions known to the compiler.
func (f *functions) options() []gojq.CompilerOption {
	o := f.orders
	return []gojq.CompilerOption{
		gojq.WithFunction("keys_unsorted", 0, 0, f.keysUnsorted),
		gojq.WithFunction("_ordered", 0, 0, f.ordered),
		gojq.WithFunction("_to_entries", 0, 0, f.toEntries),
		gojq.WithFunction("_entry_key", 0, 0, f.entryKey),
		gojq.WithFunction("_entry_value", 0, 0, f.entryValue),
		gojq.WithFunction("_collect", 0, 0, f.collect),
		gojq.WithFunction("_tostream", 0, 0, func(v any, _ []any) any { return o.events(v, nil, nil) }),
		gojq.WithFunction("_assembly", 0, 0, func(any, []any) any { return &assembly{orders: o} }),
		gojq.WithIterFunction("_feed", 1, 1, f.feed),
		gojq.WithFunction("_delpaths", 1, 1, f.delpaths),

		// These note the order of their input.
		note("_shape", 1, func(v any, args []any) { o.shape(v, args[0]) }),
		gojq.WithFunction("_inherited", 2, 2, func(v any, args []any) any {
			paths, _ := args[1].([]any)
			return o.inherit(args[0], v, paths)
		}),
		note("_merged", 2, func(v any, args []any) { o.merged(v, args[0], args[1], false) }),
		note("_deep_merged", 2, func(v any, args []any) { o.merged(v, args[0], args[1], true) }),
		note("_added", 1, func(v any, args []any) { o.added(v, args[0]) }),

		gojq.WithFunction("_tojson", 0, 0, func(v any, _ []any) any { return o.json(v) }),
		gojq.WithFunction("_tostring", 0, 0, func(v any, _ []any) any { return f.text(v) }),
		gojq.WithFunction("_fromjson", 0, 0, f.fromJSON),
		gojq.WithFunction("_base32", 0, 0, f.base32),
		gojq.WithFunction("_base32d", 0, 0, f.base32d),

		gojq.WithFunction("_test", 2, 2, f.test),
		gojq.WithFunction("_matches", 2, 2, f.matches),
		gojq.WithFunction("_named", 0, 0, f.named),
		gojq.WithFunction("_split", 2, 2, f.splitRegex),
		gojq.WithFunction("_split_at", 1, 1, f.splitAt),

		gojq.WithFunction("_input", 0, 0, f.input),
		gojq.WithIterFunction("_inputs", 0, 0, func(any, []any) gojq.Iter { return f.inputs }),
		gojq.WithFunction("input_filename", 0, 0, f.inputFilename),
		gojq.WithFunction("input_line_number", 0, 0, func(any, []any) any { return f.inputs.line() }),
		gojq.WithFunction("debug", 0, 0, f.debug),
		gojq.WithFunction("stderr", 0, 0, f.stderr),
	}
}

// note makes a function that returns its input and does something about it.
func note(name string, arity int, do func(v any, args []any)) gojq.CompilerOption {
	return gojq.WithFunction(name, arity, arity, func(v any, args []any) any {
		do(v, args)
		return v
	})
}

// either returns an error as the result of a function, which is how the library takes it.
func either(v any, err error) any {
	if err != nil {
		return err
	}
	return v
}

func (f *functions) keysUnsorted(v any, _ []any) any {
	switch v := v.(type) {
	case map[string]any:
		keys := make([]any, 0, len(v))
		for _, k := range f.orders.of(v) {
			keys = append(keys, k)
		}
		return keys
	case []any:
		keys := make([]any, len(v))
		for i := range v {
			keys[i] = i
		}
		return keys
	}
	return fmt.Errorf("%s (%s) has no keys", gojq.TypeOf(v), gojq.Preview(v))
}

// ordered reports that v is an object whose order is known. The library goes through
// arrays and other objects by itself.
func (f *functions) ordered(v any, _ []any) any {
	switch v := v.(type) {
	case []any:
		return false
	case map[string]any:
		return len(v) > 1 && f.orders.known(v)
	}
	return fmt.Errorf("Cannot iterate over %s (%s)", gojq.TypeOf(v), gojq.Preview(v))
}

func (f *functions) toEntries(v any, _ []any) any {
	keys, ok := f.keysUnsorted(v, nil).([]any)
	if !ok {
		return f.keysUnsorted(v, nil)
	}
	entries := make([]any, len(keys))
	for i, k := range keys {
		entry := map[string]any{"key": k}
		if object, ok := v.(map[string]any); ok {
			entry["value"] = object[k.(string)]
		} else {
			entry["value"] = v.([]any)[i]
		}
		f.orders.set(entry, []string{"key", "value"})
		entries[i] = entry
	}
	return entries
}

// entryKey returns the key that an entry of from_entries is for. AWS writes Key and Name.
func (f *functions) entryKey(v any, _ []any) any {
	entry, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("Cannot index %s with \"key\"", gojq.TypeOf(v))
	}
	k, given := entry["key"], []string{"k", "name", "Name", "K", "Key"}
	for i := 0; i < len(given) && entry["key"] == nil && (k == nil || k == false); i++ {
		k = entry[given[i]]
	}
	if s, ok := k.(string); ok {
		return s
	}
	return f.orders.json(k)
}

func (f *functions) entryValue(v any, _ []any) any {
	entry, _ := v.(map[string]any)
	for _, name := range []string{"value", "v"} {
		if value, ok := entry[name]; ok {
			return value
		}
	}
	return entry["Value"]
}

func (f *functions) collect(v any, _ []any) any {
	pairs, _ := v.([]any)
	return either(f.orders.collect(pairs))
}

func (f *functions) feed(v any, args []any) gojq.Iter {
	a, ok := args[0].(*assembly)
	if !ok {
		return gojq.NewIter[any](errors.New("_feed is called by fromstream only"))
	}
	value, done, err := a.feed(v)
	switch {
	case err != nil:
		return gojq.NewIter[any](err)
	case done:
		return gojq.NewIter(value)
	}
	return gojq.NewIter[any]()
}

func (f *functions) delpaths(v any, args []any) any {
	paths, ok := args[0].([]any)
	if !ok {
		return errors.New("Paths must be specified as an array")
	}
	return either(f.orders.delpaths(v, paths))
}

// text returns a string as it is, and other values as JSON.
func (f *functions) text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return f.orders.json(v)
}

func (f *functions) fromJSON(v any, _ []any) any {
	text, ok := v.(string)
	if !ok {
		return fmt.Errorf("%s (%s) cannot be parsed as JSON", gojq.TypeOf(v), gojq.Preview(v))
	}
	parsed, err := f.orders.parseText(text)
	if err != nil {
		return fmt.Errorf("%w (while parsing '%s')", err, text)
	}
	return parsed
}

func (f *functions) base32(v any, _ []any) any {
	return base32.StdEncoding.EncodeToString([]byte(f.text(v)))
}

func (f *functions) base32d(v any, _ []any) any {
	text := strings.TrimRight(f.text(v), "=")
	decoded, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(text)
	if err != nil {
		return fmt.Errorf("string (%s) is not valid base32 data", gojq.Preview(v))
	}
	return validUTF8(decoded)
}

func (f *functions) input(any, []any) any {
	v, ok := f.inputs.Next()
	if !ok {
		return errors.New("No more inputs")
	}
	return v
}

func (f *functions) inputFilename(any, []any) any {
	if name := f.inputs.filename(); name != "" {
		return name
	}
	return nil
}

func (f *functions) debug(v any, _ []any) any {
	fmt.Fprintf(f.err, "[\"DEBUG:\",%s]\n", f.orders.json(v))
	return v
}

func (f *functions) stderr(v any, _ []any) any {
	fmt.Fprint(f.err, f.text(v))
	return v
}
