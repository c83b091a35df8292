package jq_test

import (
	"os"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/jq"
)

func Example() {
	in := strings.NewReader(`{"name": "demo", "version": "1.0", "deps": {"b": 1}}`)
	args := []string{"--arg", "v", "2.0", ".version = $v | .deps += {a: 2}"}
	jq.Main(args, in, os.Stdout, os.Stderr, nil)
	// Output:
	// {
	//   "deps": {
	//     "a": 2,
	//     "b": 1
	//   },
	//   "name": "demo",
	//   "version": "2.0"
	// }
}
