// Package filter runs jq filters on JSON texts, with limits of time and memory.
//
//	var c filter.Cache
//	out, err := c.Run(ctx, `.user.name // "nobody"`, args)
//
// The language is that of package jq; the environment, other inputs and modules are not
// accessible. Filters are expected to come from the author of a tool, while their input is
// not trusted.
//
// A run ends when its context does, between two steps. A step, which is one call of a function
// of gojq, cannot be stopped: the caller gets its error in time, but the step runs to its end,
// and these take quadratic time:
//
//   - The search for all matches of a regular expression, and tonumber. Where a filter calls
//     them, strings of the input that are longer than [MaxText] are refused, and so are
//     longer numbers by every filter but a plain path, since all arithmetic converts them.
//   - The - of two arrays, contains, inside, indices, index and rindex of an array in an
//     array, and arithmetic with a number that fromjson has read. Nothing bounds them but
//     the size of a message.
//
// A filter that makes the process grow by more than [MaxMemory], for example by doubling a
// text again and again, is stopped before its next step.
package filter

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/metrics"
	"time"

	"github.com/itchyny/gojq"
)

// The bounds of a run.
const (
	MaxTime   = 5 * time.Second
	MaxOutput = 64 << 20  // bytes of all outputs
	MaxMemory = 128 << 20 // bytes by which the process may grow meanwhile, in addition to four times the input
	MaxText   = 16 << 10  // bytes of a number, and of a string where a step takes quadratic time
)

// An Output is one output value of a filter.
type Output struct{ value any }

// Value returns the output as gojq has it.
func (o Output) Value() any { return o.value }

// IsNull reports whether the output is null.
func (o Output) IsNull() bool { return o.value == nil }

// JSON returns the output as compact JSON.
func (o Output) JSON() []byte {
	b, err := gojq.Marshal(o.value)
	if err != nil {
		panic(err) // gojq can encode all of its own values
	}
	return b
}

// Text returns the output as "jq -r -c" prints it: a string without quotes, any other value
// as JSON.
func (o Output) Text() []byte {
	if s, ok := o.value.(string); ok {
		return []byte(s)
	}
	return o.JSON()
}

// A Var is a variable of a filter: Name, without the dollar, is set to a string.
type Var struct{ Name, Value string }

// A CompileError reports an invalid filter.
type CompileError struct {
	Filter string
	Err    error
}

func (e *CompileError) Error() string {
	return fmt.Sprintf("%q is not a jq filter: %v", e.Filter, e.Err)
}

func (e *CompileError) Unwrap() error { return e.Err }

// ErrInput is the error of an input that is not JSON.
var ErrInput = errors.New("the input is not JSON")

// Run applies a filter to each of the JSON values in input, of which there may be
// none, and returns all outputs, in order. The error is a [*CompileError], ErrInput,
// the cause of ctx, or an error of the filter itself.
func (c *Cache) Run(ctx context.Context, filter string, input []byte, vars ...Var) ([]Output, error) {
	p, err := c.compile(filter, vars)
	if err != nil {
		return nil, err
	}
	if path, ok := p.shortcut(input); ok {
		return path, nil
	}
	return p.bounded(ctx, filter, len(input), vars, func(ctx context.Context, values []any) ([]Output, error) {
		return p.run(ctx, input, values)
	})
}

// RunValue is Run for one value, as [json.Exact] decodes it from a text of size bytes; the run may change it.
func (c *Cache) RunValue(ctx context.Context, filter string, v any, size int, vars ...Var) ([]Output, error) {
	p, err := c.compile(filter, vars)
	if err != nil {
		return nil, err
	}
	if p.quadratic || size > MaxText {
		if err := p.check(v); err != nil {
			return nil, err
		}
	}
	return p.bounded(ctx, filter, size, vars, func(ctx context.Context, values []any) ([]Output, error) {
		var printed int
		out, err := p.apply(ctx, v, values, &printed)
		if errors.Is(err, errHalt) {
			err = nil
		}
		return out, err
	})
}

// bounded calls run, with the values of variables, and ends it at its bounds. size is that of the input in bytes.
func (p *program) bounded(ctx context.Context, filter string, size int, vars []Var,
	run func(ctx context.Context, values []any) ([]Output, error)) ([]Output, error) {
	values := make([]any, len(vars))
	for i, v := range vars {
		values[i] = v.Value
	}
	ctx, cancel := context.WithTimeoutCause(ctx, MaxTime, lateError(filter))
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	type result struct {
		out []Output
		err error
	}
	// A single step of a filter does not check the context, so Run does not wait for the
	// goroutine when the context ends first.
	done := make(chan result, 1)
	go func() {
		out, err := run(ctx, values)
		done <- result{out, err}
	}()
	look := time.NewTicker(checkInterval)
	defer look.Stop()
	most := uint64(MaxMemory + 4*size)
	before := heap()
	for {
		select {
		case r := <-done:
			return r.out, r.err
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-look.C:
			if heap() > before+most {
				stop(fmt.Errorf("%q takes more than %d MiB of memory", filter, most>>20))
			}
		}
	}
}

// A lateError is the error of a filter that took too long. Its text is made when it is needed.
type lateError string

func (e lateError) Error() string { return fmt.Sprintf("%q took longer than %v", string(e), MaxTime) }

// checkInterval is the time between two checks of the memory. Most filters are done before the
// first.
const checkInterval = 2 * time.Millisecond

// heap returns the bytes of all objects, including unreachable ones.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// run decodes the input for each run: gojq may modify its input, so decoded values must
// not be shared between runs.
func (p *program) run(ctx context.Context, input []byte, vars []any) ([]Output, error) {
	in := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(input, []byte("\ufeff"))))
	in.UseNumber()
	var out []Output
	size := 0
	for {
		var v any
		switch err := in.Decode(&v); {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return out, fmt.Errorf("%w: %w", ErrInput, err)
		}
		if p.quadratic || len(input) > MaxText {
			if err := p.check(v); err != nil {
				return out, err
			}
		}
		more, err := p.apply(ctx, v, vars, &size)
		out = append(out, more...)
		if errors.Is(err, errHalt) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
	}
}

func (p *program) apply(ctx context.Context, v any, vars []any, size *int) ([]Output, error) {
	var out []Output
	for iter := p.code.RunWithContext(ctx, v, vars...); ; {
		v, ok := iter.Next()
		if !ok {
			return out, nil
		}
		if err, ok := v.(error); ok {
			return out, explain(ctx, err)
		}
		if s, ok := v.(string); ok {
			*size += len(s)
		}
		if *size++; *size > MaxOutput {
			return out, fmt.Errorf("the filter outputs more than %d bytes", MaxOutput)
		}
		out = append(out, Output{v})
	}
}

// errHalt ends a run: the outputs so far are its result.
var errHalt = errors.New("halt")

// explain returns the error of a run, errHalt after halt.
func explain(ctx context.Context, err error) error {
	var halt *gojq.HaltError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &halt) && halt.ExitCode() == 0:
		return errHalt
	case errors.As(err, &halt):
		return errors.New(string(Output{halt.Value()}.Text()))
	default:
		return err
	}
}

// check refuses values that could make a single step take too long.
func (p *program) check(v any) error {
	switch v := v.(type) {
	case json.Number:
		if len(v) > MaxText {
			return fmt.Errorf("a number of %d characters is too long for filters, which take up to %d", len(v), MaxText)
		}
	case string:
		if p.quadratic && len(v) > MaxText {
			return fmt.Errorf("a string of %d bytes is too long for regular expressions and tonumber, which take up to %d",
				len(v), MaxText)
		}
	case []any:
		for _, v := range v {
			if err := p.check(v); err != nil {
				return err
			}
		}
	case map[string]any:
		for k, v := range v {
			if err := cmp.Or(p.check(k), p.check(v)); err != nil {
				return err
			}
		}
	}
	return nil
}
