package replay

import (
	"testing"

	"github.com/matryer/is"
)

func TestAValueThatAnotherOneHadBeforeIsReplacedOnce(t *testing.T) {
	s := normalizer{now: map[string]string{"first": "second", "second": "first", "same": "same"}}
	is.New(t).Equal(s.outgoing(`{"a":"first","b":"second","c":"same"}`), `{"a":"second","b":"first","c":"same"}`)
}
