# What the library has built in, with the order of keys kept, and what it has not.
# _gojq_x is the library's own x. Other names that begin with _ and are not defined here
# are Go functions (functions.go). A definition may call only those before it.

# Walking through objects.
def _each: if _ordered then .[keys_unsorted[]] else .[] end;
def recurse: recurse(_each?);
def map(f): [_each | f];
def paths: path(..) | select(length > 0);
def paths(f): path(.. | select(f)) | select(length > 0);
def leaf_paths: paths(scalars);
def tostream: _tostream[];
def to_entries: _to_entries;

# Making objects.
def from_entries: map([_entry_key, _entry_value]) | _collect;
def with_entries(f): to_entries | map(f) | from_entries;
def INDEX(stream; f): [stream | [(f | tostring), .]] | _collect;
def INDEX(f): INDEX(_each; f);
def fromstream(f): _assembly as $a | f | _feed($a);
def _gojq_add: add;
def add: (if type == "object" then [_each] else . end) as $all | $all | _gojq_add | _added($all);
def add(f): [f] | add;

# Operators. The right operand is the outer loop, as in jq.
def _add(l; r): r as $r | l as $l | $l + $r | _merged($l; $r);
def _multiply(l; r): r as $r | l as $l | $l * $r | _deep_merged($l; $r);

# Updates.
# _inherited notes the order of what became of old. Without the paths it may fail.
def _arranged(old; p): (_inherited(old; null) or _inherited(old; [old | path(p)])) as $_ | .;
def _gojq_assign(p; f): _assign(p; f);
def _assign(p; f): . as $old | _gojq_assign(p; f) | _arranged($old; p);
def _gojq_modify(p; f): _modify(p; f);
def _modify(p; f): . as $old | _gojq_modify(p; f) | _arranged($old; p);
def _gojq_setpath($p; $v): setpath($p; $v);
def setpath($p; $v): . as $old | _gojq_setpath($p; $v) | _arranged($old; getpath($p));
def delpaths($paths): _delpaths($paths);
def del(f): delpaths([path(f)]);
def map_values(f): _each |= f;
def pick(f): . as $all | reduce path(f) as $p (null; setpath($p; $all | getpath($p)));
def walk(f):
  def w: if type == "object" then map_values(w) elif type == "array" then map(w) end | f;
  w;

# Texts.
def tojson: _tojson;
def tostring: _tostring;
def fromjson: _fromjson;
def _gojq_tonumber: tonumber;
def tonumber: if type == "string" then trim | _gojq_tonumber else _gojq_tonumber end;
def _gojq_html: @html;
def _tohtml: tostring | _gojq_html;
def _gojq_uri: @uri;
def _touri: tostring | _gojq_uri;
def _gojq_base64: @base64;
def _tobase64: tostring | _gojq_base64;
def _gojq_format($f): format($f);
def format($f):
  if $f == "base32" then tostring | _base32
  elif $f == "base32d" then tostring | _base32d
  elif $f == "json" then tojson
  elif $f == "text" then tostring
  else _gojq_format($f) end;
def _gojq_ltrimstr($s): ltrimstr($s);
def ltrimstr($s): if type == "string" and ($s | type) == "string" then _gojq_ltrimstr($s) end;
def _gojq_rtrimstr($s): rtrimstr($s);
def rtrimstr($s): if type == "string" and ($s | type) == "string" then _gojq_rtrimstr($s) end;
def ascii: [.] | implode;
def _gojq_reverse: reverse;
def reverse: if type == "string" then explode | _gojq_reverse | implode else (. // []) | _gojq_reverse end;

# Regular expressions.
def test($re; $flags): _test($re; $flags);
def test($re): _test($re; null);
def match($re; $flags): _matches($re; $flags)[];
def match($re): match($re; null);
def capture($re; $flags): match($re; $flags) | _named;
def capture($re): capture($re; null);
def scan($re; $flags):
  match($re; "g" + $flags) | if .captures == [] then .string else [.captures[].string] end;
def scan($re): scan($re; null);
def split($re; $flags): _split($re; $flags);
def splits($re; $flags): _split($re; $flags)[];
def splits($re): splits($re; null);
# With several results of f, result number n takes the n-th of each place.
def sub($re; f; $flags):
  _matches($re; $flags) as $found
  | if $found == [] then . else
      _split_at($found) as $between
      | [$found[] | [_named | f]] as $texts
      | range([$texts[] | length] | max) as $n
      | [$between[0], (range($found | length) as $i | $texts[$i][$n], $between[$i + 1])]
      | _gojq_add
    end;
def sub($re; f): sub($re; f; null);
def gsub($re; f; $flags): sub($re; f; "g" + $flags);
def gsub($re; f): sub($re; f; "g");

# Input.
def input: _input;
def inputs: _inputs;

# The rest.
def toarray: if type == "array" then . else [.] end;
def have_literal_numbers: true;
def have_decnum: false;
def isvalid(f): try (f | true) catch false;
def recurse_down: recurse;
def pow10: exp10;
def gamma: lgamma;
def date: todate;
def dateadd(unit; n): . + n;
def datesub(unit; n): . - n;
