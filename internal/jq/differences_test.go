package jq

// Reasons why jq 1.6 behaves differently.
const (
	sorted  = "keys are sorted wherever a filter sees them"
	re2     = "regular expressions are RE2"
	strict  = "numbers are as JSON has them"
	lenient = "half of a surrogate pair is U+FFFD"
	numbers = "numbers keep their text, integers are exact, and exponents are rare"
	absent  = "$__loc__ would take a look at the text of the filter"
	newer   = "new in 1.7"
	mended  = "mended in 1.7 or 1.8"
	early   = "jq finds this when it compiles the filter"
	hangs   = "jq 1.6 does not come to an end"
	other   = "another choice of the library"
	ours    = "another choice of this command line"
)

// A difference is a list of rows for which jq 1.6 behaves differently, as "args < in".
type difference struct {
	why  string
	rows []string
}

func (r row) String() string { return r.args + " < " + r.in }

func differences() []difference {
	return []difference{
		{sorted, []string{
			`-r '.[]' < {"z":1,"a":2}`,
			`-c 'keys_unsorted' < {"b":1,"a":2}`,
			`-r 'to_entries[] | "\(.key)=\(.value)"' < {"b":1,"a":"x y"}`,
			`-c 'to_entries' < {"b":1,"a":2}`,
			`-r 'to_entries | map("\(.key | ascii_upcase)=\(.value | @sh)") | .[]' < {"z":1,"a":"it's"}`,
			`-c '[paths]' < {"b":[1],"a":{"d":1,"c":2}}`,
			`-c '[leaf_paths | map(tostring) | join(".")]' < {"b":[1],"a":{"d":1,"c":2}}`,
			`-c '[path(..)]' < {"b":[1],"a":2}`,
			`-c 'paths(type == "number")' < {"b":[1],"a":2}`,
			`-c '[..]' < {"b":[1],"a":2}`,
			`-c '[.. | numbers]' < {"z":[1,{"y":2}],"a":3}`,
			`-c 'tostream' < {"b":[1,{}],"a":"x"}`,
			`-c '[.[] | tostring]' < [1,"1",[1],{"b":1,"a":2},null]`,
			`-r 'tostring' < {"b":1,"a":"x"}`,
			`-c '[.[] | tojson]' < [{"b":1,"a":2},{"a":2,"b":1}]`,
			`-r 'tojson, (tojson | fromjson | .a)' < {"b":[1,{"d":"x"}],"a":"q\"q"}`,
			`-r '@json, @text' < [1,"a",{"b":1,"a":2}]`,
			`-c '"\(.)"' < {"b":1,"a":{"d":1,"c":2}}`,
			`-c '(.[0] | keys_unsorted) as $h | map([.[$h[]]])' < [{"n":"x","i":1},{"i":2,"n":"y"}]`,
			`-c '{jsonrpc: "2.0", id, result: {content: [{type: "text", text: (.x | tojson)}], isError: false}}' < {"id":7,"x":{"b":1,"a":2}}`,
			"-c '{b: 1, a: 2} | .[]' < null",
			`-c '{b: 1, a: 2} | to_entries | map(.key) | join(",")' < null`,
		}},
		{re2, []string{
			`-r 'gsub("(?<=\\d)(?=(\\d{3})+$)"; ",")' < "1234567"`,
			`-c 'test("(a)\\1")' < "aa"`,
			`-c 'test("\\u00e9\\b"), test("\\p{L}+"), test("[[:alpha:]]\\h*")' < "é"`,
			`-c 'test("a.c"), test("a.c"; "s"), test("A c"; "ix")' < "abc"`,
			`-c 'test("^(a+)+$")' < "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"`, // jq gives up
		}},
		{strict, []string{
			". < [01, .5, 1., +2, 1.50]",
			"-c . < [NaN]",
			`-c 'tonumber' < " 42 "`,
			`-c '[.[] | tonumber? // "no"]' < ["1", "1.5e2", " 1", "x", "0x10", "nan", ""]`,
		}},
		{lenient, []string{`. < "\ud83dx"`}},
		{numbers, []string{
			"-c . < [1.0,1.10,100,1e2,0.0001]",
			"-c . < 12345678901234567890",
			"-c '. + 1' < 9007199254740993",
			"-c '.[] * 1' < [1e15,1e16,1e17,1e-4,1e-5,1.5e300,1e1000]",
			`-c 'tojson, (tojson | fromjson), ([1.0, 1.5, 100000000000000000000, 1e-7] | tojson)' < [1.50, "x"]`,
			`-c 'tojson | ., (fromjson | .a)' < {"a": 12345678901234567890123}`,
			"-c '., . + 0, tojson, tostring, [.]' < 100000000000000000000000000",
			"-c '., . + 0, -., . * 1.0' < 1.000000000000000000001",
			"-c '[.[] | tostring, tojson, . + 0]' < [1.10, 1e3, -0, 0.00001, 1e17, 3.0]",
		}},
		{absent, []string{"-c '1 as $x | 2 as $y | [$x, $y, $__loc__]' < null"}},
		{newer, []string{
			`-c '[.[] | if . > 1 then "big" end]' < [1,2]`,
			"-c 'if . then 1 end, if . == null then 2 else 3 end, if false then 4 elif true then 5 else 6 end' < null",
			`-c 'pick(.m, .a.c)' < {"z":0,"a":{"d":1,"c":2},"m":2}`,
			"-c 'ascii' < 65",
			"-c 'ascii, @json' < 65",
			`-c 'abs, toarray, have_literal_numbers, trim' < "x"`,
			"-c '[.[] | abs], (.[0] | toarray)' < [-1,2]",
			`-c 'dateadd("seconds"; 10), datesub("seconds"; 10), date' < 1425599621`,
			`--raw-output0 '.[]' < ["a","b"]`,
			`--raw-output0 . < "a\u0000b"`,
			"-b . < 1",
		}},
		{mended, []string{
			"-c 'limit(0; 1, 2)' < null",
			"-c 'limit(-1; 1, 2)' < null",
			"-c 'nth(5; .[])' < [7]",
			"-c '(.[] | select(. >= 2)) |= empty' < [1,5,3,0,7]",
			`-c 'strptime("%H:%M")' < "10:20"`,
			`-r '. * 3, . * 0' < "ab"`,
			"-e . < ",
			"'., halt' < 1 2",
			"'error(null)' < null",
			"--jsonargs . '{' < ",
		}},
		{early, []string{"'{(1): 2}' < null", "'1 / 0' < null"}},
		{hangs, []string{`-r 'gsub("";"-")' < "ab"`}},
		{other, []string{
			"-c 'reduce .[] as $x (0; empty)' < [1, 2]",
			`-c '@text, @json, @html, @uri, @csv, @tsv, @sh, @base64' < [1, "a&'b"]`,
			`-r '@html "<b>\(.)</b>", @uri "x?q=\(.)", @csv "\([.])", @sh "echo \(.)"' < "a b'<"`,
		}},
		{ours, []string{
			"-c --seq . < 1 [2]",        // jq wants a separator before the first text
			`-c --stream . < [1,{"a":2`, // a value is read to its end before its events
			"-n -- 1 < ",                // jq wants the filter before --
			"-C -c . < 1",               // no colours
			"-V < ",
		}},
	}
}
