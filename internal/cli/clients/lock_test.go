package clients

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/matryer/is"
)

func TestInstallationsAtTheSameTimeLoseNothing(t *testing.T) {
	is := is.New(t)
	f := fileOf(t, "cursor", "{}")
	f.Path = filepath.Join(filepath.Dir(f.Path), "not", "there", "yet", "mcp.json")
	const many = 25
	var all sync.WaitGroup
	faults := make([]error, many)
	for i := range many {
		all.Go(func() {
			faults[i] = f.Locked(func() error {
				c, err := f.Install(fmt.Sprintf("weather%02d", i), weather("linux"), false)
				if err != nil {
					return err
				}
				return c.Apply()
			})
		})
	}
	all.Wait()
	for i, err := range faults {
		is.NoErr(err)
		is.True(strings.Contains(get(t, f.Path), fmt.Sprintf(`"weather%02d"`, i)))
	}
}
