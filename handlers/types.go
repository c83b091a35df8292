package handlers

import (
	"github.com/mcp-bash/mcp-bash/v2/internal/catalog"
	"github.com/mcp-bash/mcp-bash/v2/internal/roots"
	"github.com/mcp-bash/mcp-bash/v2/internal/round"
	"github.com/mcp-bash/mcp-bash/v2/internal/run"
	"github.com/mcp-bash/mcp-bash/v2/internal/sdk"
)

// These aliases name the types of internal packages that handlers use, so that another module can
// implement a catalog or a runner.
type (
	Tool         = catalog.Tool       // a tool of a project
	Described    = catalog.Described  // what all of these have in common
	ToolSettings = catalog.Settings   // how it runs; nil if nothing is set
	Prompt       = catalog.Prompt     // a prompt of a project
	Resource     = catalog.Resource   // a resource of a project
	Template     = catalog.Template   // a resource template of a project
	Values       = catalog.Completion // the sources of the values of an argument
	ToolCall     = run.Call           // one call of a tool
	ScriptClient = sdk.Call           // what a running script may ask its client
	ClientRoots  = roots.Roots        // the folders that a client works in
	StateBox     = round.Box          // seals what clients keep of a call
	RunKeeper    = round.Keeper       // keeps runs that wait for their clients

	// A Snapshot is a list as the files were at one time.
	Snapshot[T catalog.Entry] = catalog.Snapshot[T]
)

// These are the errors of catalogs.
var (
	ErrUnknownTool     = catalog.ErrUnknownTool
	ErrUnknownPrompt   = catalog.ErrUnknownPrompt
	ErrUnknownResource = catalog.ErrUnknownResource
	ErrUnknownTemplate = catalog.ErrUnknownTemplate
)
