// Package filter runs jq filters on JSON texts, with limits of time and memory.
//
//	out, err := filter.Run(ctx, `.user.name // "nobody"`, args)
//
// The language is that of package jq; the environment, other inputs and modules are not
// accessible. Filters are expected to come from the author of a tool, while their input is
// not trusted.
//
// A run ends when its context does, between two steps. A step, which is one call of a function
// of gojq, cannot be stopped. These take quadratic time, so a filter with one of them runs beside its
// caller, who gets the error in time, while the step runs to its end:
//
//   - The search for all matches of a regular expression, and tonumber. Where a filter calls
//     them, strings of the input that are longer than [MaxText] are refused, and so are
//     longer numbers by every filter but a plain path, since all arithmetic converts them.
//   - The - of two arrays, contains, inside, indices, index and rindex of an array in an
//     array, transpose, and arithmetic with a number that fromjson has read. Nothing bounds them
//     but the size of a message.
//
// A filter that makes the process grow by more than [MaxMemory], for example by doubling a
// text again and again, is stopped before its next step. What one step takes is not bounded: an assignment to an index
// makes an array that long, of up to 8 GiB.
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

// Equal reports whether the output is a value, as gojq compares them.
func (o Output) Equal(v any) bool { return gojq.Compare(o.value, v) == 0 }

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
func Run(ctx context.Context, filter string, input []byte, vars ...Var) ([]Output, error) {
	names, values := make([]string, len(vars)), make([]any, len(vars))
	for i, v := range vars {
		names[i], values[i] = v.Name, v.Value
	}
	p, err := Compile(filter, names...)
	if err != nil {
		return nil, err
	}
	if path, ok := p.shortcut(input); ok {
		return path, nil
	}
	return p.bounded(ctx, len(input), func(ctx context.Context) ([]Output, error) {
		return p.run(ctx, input, values)
	})
}

// Run applies the filter to one value, as [json.Exact] decodes it from a text of size bytes, with the values of its
// variables. The values are shared with other runs. The error is as for [Run].
func (p *Program) Run(ctx context.Context, v any, size int, values ...any) ([]Output, error) {
	p, err := p.fresh(size)
	if err != nil {
		return nil, err
	}
	return p.bounded(ctx, size, func(ctx context.Context) ([]Output, error) {
		var printed int
		out, err := p.apply(ctx, v, size, values, &printed)
		if errors.Is(err, errHalt) {
			err = nil
		}
		return out, err
	})
}

// bounded calls run and ends it at its bounds. size is that of the input in bytes.
func (p *Program) bounded(
	ctx context.Context, size int, run func(context.Context) ([]Output, error),
) ([]Output, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer p.watch(ctx, size, stop).Stop()
	if !p.lasts {
		return run(ctx)
	}
	type result struct {
		out []Output
		err error
	}
	done := make(chan result, 1)
	go func() {
		defer func() {
			if failed := recover(); failed != nil { // one filter must not stop the server
				done <- result{err: fmt.Errorf("%q failed: %v", p.filter, failed)}
			}
		}()
		out, err := run(ctx)
		done <- result{out, err}
	}()
	select {
	case r := <-done:
		return r.out, r.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// watch ends a run that takes too much time or memory. Most are done before it has looked once, so what the process
// takes is known from then on.
func (p *Program) watch(ctx context.Context, size int, stop context.CancelCauseFunc) (look *time.Timer) {
	most, began, before := uint64(MaxMemory+4*size), time.Now(), uint64(0)
	look = time.AfterFunc(MaxTime, func() {
		now := heap()
		if before == 0 {
			before = now
		}
		switch {
		case ctx.Err() != nil:
			return
		case now > before+most:
			stop(fmt.Errorf("%q takes more than %d MiB of memory", p.filter, most>>20))
		case time.Since(began) >= MaxTime:
			stop(fmt.Errorf("%q took longer than %v", p.filter, MaxTime))
		default:
			look.Reset(checkInterval)
		}
	})
	look.Reset(checkInterval) // which look sees
	return look
}

// checkInterval is the time between two checks of a run.
const checkInterval = 2 * time.Millisecond

// heap returns the bytes of all objects, including unreachable ones.
func heap() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// run decodes the values of the input, one after the other.
func (p *Program) run(ctx context.Context, input []byte, vars []any) ([]Output, error) {
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
		more, err := p.apply(ctx, v, len(input), vars, &size)
		out = append(out, more...)
		if errors.Is(err, errHalt) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
	}
}

// apply applies the filter to a value of an input of some length. size is that of all outputs so far.
func (p *Program) apply(ctx context.Context, v any, length int, vars []any, size *int) ([]Output, error) {
	if p.quadratic || length > MaxText {
		if err := p.check(v); err != nil {
			return nil, err
		}
	}
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
func (p *Program) check(v any) error {
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
