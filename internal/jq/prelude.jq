# What the library has built in, with the order of keys kept, and what it has not.
# A definition that begins with _ and is not defined here is a Go function (functions.go).

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
def _sum: add;
def add: (if type == "object" then [_each] else . end) as $all | $all | _sum | _added($all);
def add(f): [f] | add;

# Operators. The right operand is the outer loop, as in jq.
def _add(l; r): r as $r | l as $l | $l + $r | _merged($l; $r);
def _multiply(l; r): r as $r | l as $l | $l * $r | _deep_merged($l; $r);

# Updates.
def _from(old; p): if _inherited(old; null) or _inherited(old; [old | path(p)]) then . else . end;
def _put(p; f): _assign(p; f);
def _assign(p; f): . as $old | _put(p; f) | _from($old; p);
def _change(p; f): _modify(p; f);
def _modify(p; f): . as $old | _change(p; f) | _from($old; p);
def _setpath($p; $v): setpath($p; $v);
def setpath($p; $v): . as $old | _setpath($p; $v) | _from($old; getpath($p));
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
def _number: tonumber;
def tonumber: if type == "string" then trim | _number else _number end;
def _html: @html;
def _tohtml: tostring | _html;
def _uri: @uri;
def _touri: tostring | _uri;
def _base64: @base64;
def _tobase64: tostring | _base64;
def _format($f): format($f);
def format($f):
  if $f == "base32" then tostring | _base32
  elif $f == "base32d" then tostring | _base32d
  elif $f == "json" then tojson
  elif $f == "text" then tostring
  else _format($f) end;
def _ltrimstr($s): ltrimstr($s);
def ltrimstr($s): if type == "string" and ($s | type) == "string" then _ltrimstr($s) end;
def _rtrimstr($s): rtrimstr($s);
def rtrimstr($s): if type == "string" and ($s | type) == "string" then _rtrimstr($s) end;
def ascii: [.] | implode;
def _backwards: reverse;
def reverse: if type == "string" then explode | _backwards | implode else (. // []) | _backwards end;

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
      | _sum
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
