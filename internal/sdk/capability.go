package sdk

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-bash/mcp-bash/v2/internal/json"
)

// codeMissingCapability is the error for a client that lacks what a tool needs (N-07).
const codeMissingCapability = -32021

func (c *Channel) supports(capability string) bool {
	return c.call.Supports != nil && c.call.Supports(capability)
}

// clientSupports answers mcp_client_supports: CAPABILITY.
func (c *Channel) clientSupports(_ context.Context, args []string) answer {
	if _, err := capabilityPath(arg(args, 0)); err != nil {
		return helperError(1, "%v", err)
	}
	return yes(c.supports(args[0]))
}

// requireCapability answers mcp_require_capability: CAPABILITY... It prints the result
// with which the tool ends.
func (c *Channel) requireCapability(_ context.Context, args []string) answer {
	if len(args) == 0 {
		return helperError(1, "requires the name of a capability")
	}
	required := map[string]any{}
	var missing []string
	for _, name := range args {
		path, err := capabilityPath(name)
		if err != nil {
			return helperError(1, "%v", err)
		}
		if c.supports(name) {
			continue
		}
		missing = append(missing, name)
		declare(required, path)
	}
	message := "this needs a client with " + strings.Join(missing, ", ")
	switch {
	case missing == nil:
		return silent(0)
	case !c.call.MissingCapability:
		return errorResult(problem("missing_capability", message)).print()
	default:
		return failure(codeMissingCapability, message, json.Object("requiredCapabilities", required))
	}
}

// capabilityPath returns the path in ClientCapabilities of a capability, by the name that
// scripts use.
func capabilityPath(name string) ([]string, error) {
	known := []string{"roots", "sampling", "sampling.tools", "sampling.context", "elicitation", "elicitation.url", "ui",
		"tasks"}
	switch {
	case !slices.Contains(known, name):
		return nil, fmt.Errorf("unknown capability %q; use one of %s", name, strings.Join(known, ", "))
	case name == "ui" || name == "tasks":
		return []string{"extensions", "io.modelcontextprotocol/" + name}, nil
	default:
		return strings.Split(name, "."), nil
	}
}

// declare adds an empty object at a path, with the objects that lead to it.
func declare(capabilities map[string]any, path []string) {
	for _, name := range path {
		next, ok := capabilities[name].(map[string]any)
		if !ok {
			next = map[string]any{}
			capabilities[name] = next
		}
		capabilities = next
	}
}
