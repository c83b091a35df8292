package serving

import (
	"runtime"
	"testing"

	"github.com/matryer/is"
)

func TestOneThreadMoreThanProcessorsExecutesUnlessTheEnvironmentSaysHowMany(t *testing.T) {
	is := is.New(t)
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	AddThread(true)
	is.Equal(runtime.GOMAXPROCS(0), before)
	AddThread(false)
	is.Equal(runtime.GOMAXPROCS(0), before+1)
}
