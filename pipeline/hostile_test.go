package pipeline_test

import (
	"fmt"
	"strings"
)

func wrap(format string, args ...any) error { return fmt.Errorf(format, args...) }

// hostile is the corpus of lines that no client should send.
func hostile() []string {
	return append(strings.Split(strings.TrimSpace(hostileLines), "\n"),
		"", " ", "\t", "\r", "\ufeff", "\x00", "\x00\x00\x00", "\x1b[0m",
		"\xff\xfe{\x00}\x00", // UTF-16
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xed\xa0\x80\"}", // a surrogate in UTF-8
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\x00b\"}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\ufeff\"method\":\"ping\"}", // a BOM in the middle
		"{\"jsonrpc\":\"2.0\",\r\"id\":1,\r\"method\":\"ping\"}",
		strings.Repeat("[", 10_001),
		strings.Repeat("[", 5_000)+strings.Repeat("]", 5_000),
		strings.Repeat(`{"a":`, 10_001),
		`{"jsonrpc":"2.0","id":`+strings.Repeat("9", 5_000)+`,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":"`+strings.Repeat("x", 70_000)+`","method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":"`+strings.Repeat(`\u0000`, 1_000)+`"}`,
	)
}

const hostileLines = `
{
}
[
]
{"
{"jsonrpc"
{"jsonrpc":"2.0"
{"jsonrpc":"2.0","id":1,"method":"ping"
{"jsonrpc":"2.0","id":1,"method":"ping"}}
{"jsonrpc":"2.0","id":1,"method":"ping"} x
{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}
{"jsonrpc":"2.0","id":1,"method":"ping",}
{"jsonrpc":"2.0",,"id":1}
{"jsonrpc":"2.0" "id":1}
{'jsonrpc':'2.0'}
{jsonrpc:"2.0"}
// comment
{"jsonrpc":"2.0","id":1,"method":"ping"} // comment
null
true
false
0
-0
1e999999
-1e999999
00
+1
.5
1.
0x10
NaN
Infinity
"text"
"\ud800"
"\u12"
"unterminated
[]
[[]]
[1]
[null]
[{}]
[[[[[[[[]]]]]]]]
{}
{"id":1}
{"jsonrpc":"2.0"}
{"jsonrpc":2.0,"id":1,"method":"ping"}
{"jsonrpc":"2.0","id":null,"method":"ping"}
{"jsonrpc":"2.0","id":true,"method":"ping"}
{"jsonrpc":"2.0","id":[1],"method":"ping"}
{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}
{"jsonrpc":"2.0","id":01,"method":"ping"}
{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}
{"jsonrpc":"2.0","id":1,"method":"ping","method":"exit"}
{"jsonrpc":"2.0","id":1,"method":null}
{"jsonrpc":"2.0","id":1,"method":["ping"]}
{"jsonrpc":"2.0","id":1,"METHOD":"ping"}
{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}
{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}
{"jsonrpc":"2.0","id":99,"result":{},"error":{"code":1,"message":"x"}}
{"jsonrpc":"2.0","id":99,"error":5}
{"jsonrpc":"2.0","id":99,"error":{"code":1.5,"message":"x"}}
{"jsonrpc":"2.0","id":null,"result":{}}
{"jsonrpc":"2.0","id":1,"method":"\ud83d"}
`
