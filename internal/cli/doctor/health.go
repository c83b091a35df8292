package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
)

// ErrUnhealthy is returned when a check of the project failed.
var ErrUnhealthy = errors.New("health check failed")

// checks defines the helpers of the script: each prints to stderr what is missing and makes the
// script fail at its end, whatever it does next.
const checks = `exec 1>&2
_mcp_missing=0
mcp_health_check_command() {
	command -v -- "$1" >/dev/null 2>&1 && return 0
	_mcp_missing=1
	printf '%s\n' "${2:-$1 is not on PATH}"
	return 1
}
mcp_health_check_env() {
	[ -n "${!1-}" ] && return 0
	_mcp_missing=1
	printf '%s\n' "${2:-$1 is not set}"
	return 1
}
trap '_mcp_status=$?; [ "$_mcp_status" -ne 0 ] || _mcp_status=$_mcp_missing; exit "$_mcp_status"' EXIT
. "$1"`

// HealthChecks runs server.d/health-checks.sh. The error is nil if the script does not exist or
// succeeds; fs.ErrPermission or hooks.ErrNotAllowed if it may not run; otherwise ErrUnhealthy, with
// the script's output, or that ctx ended.
func HealthChecks(ctx context.Context, h hooks.Host) error {
	const name = "server.d/health-checks.sh"
	hook, err := h.Open("health-checks.sh")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, hooks.ErrNotAllowed):
		return err
	case err != nil:
		return fmt.Errorf("%s may not run: %w: %w", name, fs.ErrPermission, err)
	}
	defer hook.Close()
	result := h.Run(ctx, hook, hooks.Program{Text: checks})
	if err := result.Failure(); err != nil {
		if message := result.Message(); result.Err == nil && message != "" {
			err = errors.New(message) // the helpers wrote what is missing
		}
		return fmt.Errorf("%w: %s: %w", ErrUnhealthy, name, err)
	}
	return nil
}

// health runs the project's own checks.
func (e *examination) health(ctx context.Context) []Finding {
	ctx, cancel := context.WithTimeout(ctx, 2*patience)
	defer cancel()
	err := HealthChecks(ctx, e.Health)
	switch {
	case err == nil, errors.Is(err, hooks.ErrNotAllowed), errors.Is(err, fs.ErrPermission):
		return nil // the check of hooks reports it
	}
	return failed("project.health_check_failed", "%v", err)
}
