package sdk

import (
	"context"
	"slices"
)

// configMerge answers mcp_config_load: pairs of a name and the JSON that was found there,
// lowest priority first. Members of later objects replace those of earlier ones.
func configMerge(args []string) answer {
	var merged object
	for pair := range slices.Chunk(args, 2) {
		v, valid := compact(arg(pair, 1))
		o, ok := parseObject(v)
		if !valid || !ok {
			return helperError(1, "%s is not a JSON object", pair[0])
		}
		merged = append(merged, o...)
	}
	return print(string(merged.unique().value()))
}

// configGet answers mcp_config_get: CONFIG FILTER [--default V]. Only null counts as
// missing: false and "" are values.
func (c *Channel) configGet(ctx context.Context, args []string) answer {
	g, err := spec{"--default": 1}.parse(args, 2)
	if err != nil {
		return helperError(1, "%v", err)
	}
	none := silent(1)
	return g.filtered(ctx, arg(g.args, 1), orEmpty([]byte(arg(g.args, 0))), &none)
}
