package catalog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/mcp-bash/mcp-bash/v2/internal/hooks"
)

const (
	hookTimeout = 10 * time.Second // for the script to end
	hookTTL     = 5 * time.Second  // for which its output, or its failure, is valid after it ended
)

// runRegisterSH runs server.d/register.sh, if it exists and is allowed to run, and reads its output.
// That is reused for a while, and however old it is for an idle ask. Faults in it are errors of its
// lists, as for register.json.
func (p *Project) runRegisterSH(path string, before *records, a ask) *records {
	if before != nil && before.from.current() && (a.idle || !before.expired()) {
		return p.parseOutput(&records{from: before.from, ran: before.ran, output: before.output})
	}
	now := &records{from: depOf(path)}
	hook, err := p.hook.Rules.Open(p.root, path)
	switch {
	case isMissing(err):
		return now
	case errors.Is(err, hooks.ErrNotAllowed):
		p.warnOfHook.Do(func() { p.logger.Warn(Fault{File: p.Rel(path), Reason: hooks.ErrNotAllowed.Error()}.String()) })
		return now
	case err != nil: // check again: the cause may be its folder
		now.from.stamp = unsure
		now.fail(err, Fault{File: p.Rel(path), Reason: err.Error()})
		return now
	}
	defer hook.Close()
	output, err := p.outputOf(hook)
	now.ran = time.Now()
	if err != nil {
		now.fail(err, Fault{File: p.Rel(path), Reason: err.Error()})
		return now
	}
	now.output = output
	if before != nil && before.output != nil && bytes.Equal(before.output, output) && before.entriesCurrent() {
		now.batches = before.batches
		return now
	}
	return p.parseOutput(now)
}

// prelude defines the helpers of the script: each writes its argument to the server, between zero
// bytes, which JSON never contains, with its list and the line of the call. The other names are
// those of older scripts.
const prelude = `exec 3>&1
_mcp_register() { printf '\0%s\0%s\0%s\0' "$1" "${BASH_LINENO[1]}" "$2" >&3; }
for _mcp in tool/tools/tools resource/resources/resources resource_template/resourceTemplates/resources_templates \
	template/resourceTemplates/templates prompt/prompts/prompts completion/completions/completion; do
	_mcp_list=${_mcp#*/} _mcp_older=${_mcp##*/}
	_mcp_list=${_mcp_list%/*}
	eval "mcp_register_${_mcp%%/*}() { _mcp_register $_mcp_list \"\${1-}\"; }
		mcp_${_mcp_older}_manual_begin() { _mcp_register $_mcp_list '[]'; }
		mcp_${_mcp_older}_register_manual() { _mcp_register $_mcp_list \"\${1-}\"; }
		mcp_${_mcp_older}_manual_finalize() { :; }"
done
. "$1"`

// outputOf runs the script. Its variables name the folders of the project, as in the Bash program.
func (p *Project) outputOf(hook *hooks.Script) ([]byte, error) {
	result := p.hook.Run(context.Background(), hook, hooks.Program{Text: prelude, Limit: hookTimeout,
		Head: int(p.maxRegistration), Env: []string{
			"MCPBASH_PROJECT_ROOT=" + p.root,
			"MCPBASH_SERVER_DIR=" + p.serverDir,
			"MCPBASH_TOOLS_DIR=" + p.dirs[kindTool],
			"MCPBASH_RESOURCES_DIR=" + p.dirs[kindResource],
			"MCPBASH_PROMPTS_DIR=" + p.dirs[kindPrompt],
		}})
	if err := result.Failure(); err != nil {
		return nil, err
	}
	if result.Truncated {
		return nil, fmt.Errorf("wrote more than %d bytes; raise MCPBASH_MAX_MANUAL_REGISTRY_BYTES", p.maxRegistration)
	}
	return append([]byte{}, result.Stdout...), nil
}

// parseOutput reads the output of the script: the arguments of its helpers, and an object on stdout
// like that of register.json.
func (p *Project) parseOutput(now *records) *records {
	var faults []Fault
	open := func(doc document) object {
		o, fault := doc.object()
		if fault != nil {
			faults = append(faults, *fault)
		}
		return o
	}
	var lists [kindCount][]registration
	var text []byte
	name, parts := p.Rel(now.from.path), bytes.Split(now.output, []byte{0})
	for i := 0; i+3 < len(parts); i += 4 {
		text = append(text, parts[i]...)
		k := slices.IndexFunc(kinds[:], func(k kindRow) bool { return k.key == string(parts[i+1]) })
		if k < 0 {
			faults = append(faults, Fault{File: name, Reason: "wrote a zero byte to stdout", Hint: "write JSON, or nothing"})
			break
		}
		line, _ := strconv.Atoi(string(parts[i+2]))
		if given := parts[i+3]; string(given) == "[]" {
			lists[k] = append([]registration{}, lists[k]...)
		} else {
			doc := inlineDocument(name, given, line)
			lists[k] = append(lists[k], registration{open(doc), member{value: doc.json}, now.from.path})
		}
	}
	if text = append(text, parts[len(parts)-1]...); len(bytes.TrimSpace(text)) > 0 {
		o := open(jsonDocument(name+" (output)", text))
		for k, list := range o.registrations(now.from.path) {
			if list != nil {
				lists[k] = append(list, lists[k]...)
			}
		}
		faults = append(faults, o.faults...)
	}
	if len(faults) > 0 {
		now.fail(nil, faults...)
		return now
	}
	now.batches = p.registeredBatches(lists)
	return now
}
