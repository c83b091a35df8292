package schema_test

import (
	"fmt"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/matryer/is"

	"github.com/mcp-bash/mcp-bash/v2/internal/schema"
)

func TestNoReferenceIsEverFetched(t *testing.T) {
	is := is.New(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	is.NoErr(err)
	connected := make(chan struct{}, 100)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				close(connected)
				return
			}
			connected <- struct{}{}
			conn.Close()
		}
	}()
	address := "http://" + listener.Addr().String()
	for _, format := range []string{
		`{"$ref":"%s/s.json"}`,
		`{"items":{"$ref":"%s/s.json#/a"}}`,
		`{"$dynamicRef":"%s/s.json#a"}`,
		`{"$schema":"%s/schema"}`,
		`{"$id":"%s/a","$ref":"b"}`,
		`{"$defs":{"a":{"$ref":"%s"}}}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"%s/s.json"}`,
	} {
		_, err := schema.Compile(fmt.Appendf(nil, format, address))
		is.True(err != nil) // refused
	}
	s, err := schema.Compile(fmt.Appendf(nil, `{"$id":"%s/a","x-see":{"$ref":"%[1]s/b"},"items":{"$ref":"#/$defs/a"},"$defs":{"a":{"type":"null"}}}`, address))
	is.NoErr(err) // an $id is a name only
	_, err = s.Validate(t.Context(), []byte(`[null]`))
	is.NoErr(err)

	is.NoErr(listener.Close())
	_, open := <-connected
	is.True(!open) // there was no connection
}

func TestExplodingSchemasAreRefused(t *testing.T) {
	for _, applicator := range []string{"allOf", "anyOf", "oneOf"} {
		is := is.New(t)
		var defs []string
		for i := range 24 {
			defs = append(defs, fmt.Sprintf(`"d%d":{"%s":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, applicator, i+1, i+1))
		}
		raw := `{"$ref":"#/$defs/d0","$defs":{` + strings.Join(defs, ",") + `,"d24":{}}}`
		_, err := schema.Compile([]byte(raw))
		is.True(err != nil) // refused
		is.True(strings.HasSuffix(err.Error(), "the schema expands to more than 10000 schemas for one value"))
	}
}

// Two alternatives that apply to the same member double the work at each level.
const doubling = `{"anyOf":[
  {"properties":{"kid":{"$ref":"#"},"a":{"const":1}},"required":["a"]},
  {"properties":{"kid":{"$ref":"#"},"b":{"const":1}},"required":["b"]}]}`

func TestExplodingDocumentsAreRefusedAndOrdinaryOnesAreNot(t *testing.T) {
	t.Parallel()
	is := is.New(t)
	s, err := schema.Compile([]byte(doubling))
	is.NoErr(err)
	chain := func(levels int, leaf string) []byte {
		return []byte(strings.Repeat(`{"b":1,"kid":`, levels) + leaf + strings.Repeat(`}`, levels))
	}
	for _, levels := range []int{0, 1, 5, 12} {
		faults, err := s.Validate(t.Context(), chain(levels, `{"a":1}`))
		is.NoErr(err)
		is.Equal(len(faults), 0) // conforms
	}
	_, err = s.Validate(t.Context(), chain(90, `{"a":2}`))
	is.True(err != nil) // not judged
	is.True(strings.Contains(err.Error(), "too much work"))

	const draft7 = `"$schema":"http://json-schema.org/draft-07/schema#",`
	for _, raw := range []string{
		`{"anyOf":[{"items":{"$ref":"#"},"minItems":9},{"items":{"$ref":"#"}}]}`,
		`{"anyOf":[{"prefixItems":[{"$ref":"#"}],"minItems":9},{"prefixItems":[{"$ref":"#"}]}]}`,
		`{"items":{"$ref":"#"},"contains":{"$ref":"#"}}`,
		`{` + draft7 + `"allOf":[{"items":{"$ref":"#"}},{"items":[{"$ref":"#"}]},{"items":[true],"additionalItems":{"$ref":"#"}}]}`,
		`{"$dynamicAnchor":"a","allOf":[{"items":{"$dynamicRef":"#a"}},{"items":{"$dynamicRef":"#a"}}]}`,
	} {
		s, err := schema.Compile([]byte(raw))
		is.NoErr(err)
		_, err = s.Validate(t.Context(), []byte(strings.Repeat("[", 5)+"[1]"+strings.Repeat("]", 5)))
		is.NoErr(err) // judged
		_, err = s.Validate(t.Context(), []byte(strings.Repeat("[", 90)+strings.Repeat("]", 90)))
		is.True(err != nil) // not judged
	}

	// A long list costs no more than its length.
	list, err := schema.Compile([]byte(`{"$defs":{"v":{"anyOf":[{"type":["string","number"]},{"type":"array","items":{"$ref":"#/$defs/v"}}]}},"$ref":"#/$defs/v"}`))
	is.NoErr(err)
	faults, err := list.Validate(t.Context(), []byte(`[`+strings.Repeat(`[["a",1]],`, 20_000)+`1]`))
	is.NoErr(err)
	is.Equal(len(faults), 0) // conforms
}

func TestDocumentsAreBounded(t *testing.T) {
	for _, test := range []struct{ doc, want string }{
		{`1e1000001`, `the number 1e1000001 has an exponent beyond 400`},
		{`{"a":[1,-1E-401]}`, `at /a/1: the number -1E-401 has an exponent beyond 400`},
		{`1e99999999999999999999`, `the number 1e99999999999999999999 has an exponent beyond 400`},
		{strings.Repeat("9", 1001), `a number of 1001 digits, more than 1000`},
		{strings.Repeat("[", 257) + strings.Repeat("]", 257), `at …` + strings.Repeat("/0", 40) + `: nested deeper than 256 levels`},
	} {
		is := is.New(t)
		for _, raw := range []string{`{"type":"object"}`, `{"items":{"$ref":"#"}}`} {
			s, err := schema.Compile([]byte(raw))
			is.NoErr(err)
			_, err = s.Validate(t.Context(), []byte(test.doc))
			is.True(err != nil) // not judged
			is.Equal(err.Error(), test.want)
		}
	}
}

func TestLargeDocumentsAreValidated(t *testing.T) {
	is := is.New(t)
	judge := func(raw, doc string) int {
		t.Helper()
		s, err := schema.Compile([]byte(raw))
		is.NoErr(err)
		faults, err := s.Validate(t.Context(), []byte(doc))
		is.NoErr(err)
		return len(faults)
	}
	var numbers, objects []string
	for i := range 20_000 {
		numbers = append(numbers, fmt.Sprint(i))
		objects = append(objects, fmt.Sprintf(`{"a":%d}`, i))
	}
	is.Equal(judge(`{"uniqueItems":true}`, `[`+strings.Join(numbers, ",")+`]`), 0)
	is.Equal(judge(`{"uniqueItems":true}`, `[`+strings.Join(objects, ",")+`]`), 0)
	is.Equal(judge(`{"items":{"enum":["a","b"]}}`, `[`+strings.Join(numbers, ",")+`]`), 20_000) // every fault is reported
	is.Equal(judge(longChain(98), strings.Repeat("[", 256)+strings.Repeat("]", 256)), 0)        // the deepest possible stack
	is.Equal(judge(`{"items":{"$ref":"#"}}`, strings.Repeat("[", 256)+strings.Repeat("]", 256)), 0)
}

func TestAPanicWhileValidatingIsAnError(t *testing.T) {
	is := is.New(t)
	_, err := schema.Broken().Validate(t.Context(), []byte(`1`))
	is.True(err != nil) // not judged
	is.True(strings.HasPrefix(err.Error(), "the validation failed: "))
}

func TestManyFaultsBelowALongNameTakeLittleMemory(t *testing.T) {
	is := is.New(t)
	s, err := schema.Compile([]byte(`{"additionalProperties":{"items":{"type":"string"}}}`))
	is.NoErr(err)
	doc := []byte(`{"` + strings.Repeat("x", 1<<20) + `":[` + strings.Repeat("1,", 19_999) + `1]}`)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	faults, err := s.Validate(t.Context(), doc)
	runtime.ReadMemStats(&after)
	is.NoErr(err)
	is.Equal(len(faults), 20_000)
	is.True(after.TotalAlloc-before.TotalAlloc < 100<<20) // with a pointer for each fault it would be 20 GB
}

func TestSchemasCanBeUsedAndCompiledConcurrently(t *testing.T) {
	is := is.New(t)
	const withRefs = `{"$defs":{"s":{"type":"string"}},"properties":{"a":{"$ref":"#/$defs/s"},"b":{"anyOf":[{"$ref":"#/$defs/s"},{"type":"null"}]}}}`
	const withIDs = `{"$id":"https://example.com/tool","$defs":{"s":{"$id":"s","type":"string","pattern":"^(?!x)"}},"properties":{"a":{"$ref":"s"}}}`
	const regexFormat = `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"type":"string","format":"regex"}}}`
	docs := []string{`{"a":1}`, `{"a":"y","b":2}`, `{"a":"x","b":null}`, goodCall, badCall}
	for _, raw := range []string{plainSchema, closedSchema, exactSchema, withRefs, withIDs, regexFormat, doubling} {
		shared, err := schema.Compile([]byte(raw))
		is.NoErr(err)
		var want [][]schema.Fault
		for _, doc := range docs {
			alone, err := schema.Compile([]byte(raw))
			is.NoErr(err)
			faults, err := alone.Validate(t.Context(), []byte(doc))
			is.NoErr(err)
			want = append(want, faults)
		}
		var together sync.WaitGroup
		for range 8 {
			together.Go(func() {
				own, err := schema.Compile([]byte(raw))
				if err != nil {
					t.Error(err)
					return
				}
				for i, doc := range docs {
					for _, s := range []*schema.Schema{shared, own} {
						faults, err := s.Validate(t.Context(), []byte(doc))
						if err != nil || !cmp.Equal(faults, want[i]) {
							t.Errorf("%s: got %v, %v, want %v", doc, faults, err, want[i])
						}
					}
				}
			})
		}
		together.Wait()
	}
}
