package pipetest

import "fmt"

// Call returns the line of a call. A string id is put between quotes as it is, any other is
// printed. Params are JSON; "" leaves them out.
func Call(id any, method, params string) string {
	if s, ok := id.(string); ok {
		id = `"` + s + `"`
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"method":"%s"%s}`, id, method, member(params))
}

// Notification returns the line of a notification; params are as for [Call].
func Notification(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"%s"%s}`, method, member(params))
}

func member(params string) string {
	if params == "" {
		return ""
	}
	return `,"params":` + params
}
