package schema

import (
	"context"
	"fmt"
	"sync"

	"github.com/qri-io/jsonschema"
)

// qriLock guards the library, all of it: it keeps its keywords in global maps
// and writes into compiled schemas while it validates.
var (
	qriLock     sync.Mutex
	qriKeywords sync.Once
)

// qri validates by qri-io/jsonschema.
type qri struct{ root *jsonschema.Schema }

// compileQri takes schemas that are valid and in the subset, see beyondSubset.
func compileQri(raw []byte) (plain engine, err error) {
	defer rescue(qriName, &err)
	qriLock.Lock()
	defer qriLock.Unlock()
	qriKeywords.Do(registerKeywords)
	root := &jsonschema.Schema{}
	if err := root.UnmarshalJSON(raw); err != nil {
		return nil, fmt.Errorf("%s does not take it: %w", qriName, err)
	}
	return qri{root}, nil
}

// validate needs numbers that are no longer than a float64.
func (q qri) validate(ctx context.Context, doc parsed) (found []finding, err error) {
	defer rescue(qriName, &err)
	qriLock.Lock()
	defer qriLock.Unlock()
	return findings(*q.root.Validate(ctx, floats(doc.value)).Errs), nil
}

// findings unpacks what our keywords have reported. An error that is the
// library's own, which no schema of the subset brings forth, is a panic.
func findings(errors []jsonschema.KeyError) []finding {
	found := make([]finding, len(errors))
	for i, e := range errors {
		found[i] = e.InvalidValue.(finding)
	}
	return found
}

// rescue turns a panic of the library into an error. It is to be deferred.
func rescue(engine string, err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%s failed: %v", engine, p)
	}
}
