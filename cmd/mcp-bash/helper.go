package main

import (
	"context"
	"fmt"
	"os"

	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
)

// helperWord is a hidden command: a helper of the SDK that runs without a server starts it.
const helperWord = "__helper"

// helper answers the request on stdin, and returns the exit code.
func helper() int {
	answer, err := sdk.ByHand(context.Background(), os.Stdin, os.Stderr)
	if err == nil {
		_, err = os.Stdout.Write(answer)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mcp-bash:", err)
		return 1
	}
	return 0
}
