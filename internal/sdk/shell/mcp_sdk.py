"""The Python SDK of mcp-bash, for tools written in Python 3. It needs nothing else.

    #!/usr/bin/env python3
    import os, sys
    sys.path.insert(0, os.environ["MCP_SDK"])
    import mcp_sdk as mcp

    name = mcp.args().get("name", "World")
    mcp.progress(50, "half way")
    mcp.result({"greeting": f"Hello, {name}!"})

It speaks the channel that docs/SDK-PROTOCOL.md describes. By hand, without a server, the
program mcp-bash answers, the arguments come from MCP_TOOL_ARGS_JSON, and progress and logs go to
stderr.
"""

import itertools
import json
import os
import select
import shutil
import subprocess
import sys
import threading
import time

__all__ = [
    "ServerError", "args", "ask", "cancelled", "download", "elicit", "error", "fail", "jq",
    "log", "meta", "progress", "require", "require_arg", "result", "roots", "sample", "supports",
]


class ServerError(Exception):
    """What the server could not or would not do. code is what a shell helper returns."""

    def __init__(self, message, code=1):
        super().__init__(message)
        self.code = code


class _Channel:
    """The pipes to the server. Threads and forked processes may use it at once."""

    MARK = b"\x1e"  # begins every reply
    GONE = b"x"  # the token of a closed channel

    def __init__(self, where):
        version, first, self.dir = where.split(":", 2)
        if version != "1":
            raise ServerError(f"MCP_CHANNEL={where} is of another version")
        self.request, _, self.replies, self.lock, self.unlock = range(int(first), int(first) + 5)
        os.fstat(self.request)  # an OSError if a parent of this process closed it
        try:  # a descriptor of our own, so that a read never waits
            self.lock = os.open(f"/proc/self/fd/{self.lock}", os.O_RDONLY | os.O_NONBLOCK)
        except OSError:
            pass  # not Linux: it waits if another process was faster
        self.serial = itertools.count(1)
        self.threads = threading.Lock()

    def call(self, *fields):
        """Ask the server; return what a shell helper would print, None for nothing, False for no."""
        number = b"%d.%d" % (os.getpid(), next(self.serial))
        fields = [str(f).encode("utf-8", "replace") for f in fields]
        if any(b"\0" in f for f in fields):
            raise ServerError("a value contains U+0000, which no shell could hold")
        if sum(map(len, fields)) + len(fields) > 400 or any(b"\n" in f for f in fields):
            path = self._path(b"sdk." + number)
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as f:
                f.write(b"".join(x + b"\0" for x in fields))
            fields = [b"@"]
        kind, how, code, value = self._ask(number, fields)
        if how == b"w":
            with open(self._path(value), "rb") as f:  # waits for the answer
                line = f.readline()
            self._write(b"-", value)
            _, kind, how, code, value = self._split(line) or self._gone()
        if how != b"-":
            name = value
            with open(self._path(name), "rb") as f:
                value = f.read()[:-1]
            self._write(b"-", name)
        return _answer(kind, code, value)

    def _ask(self, number, fields):
        with self.threads:
            while True:
                token = self._take()
                try:
                    self._write(token, number, *fields)
                    reply = self._hear(token, number)
                except ServerError:
                    os.write(self.unlock, self.GONE)
                    raise
                if reply[0] != b"v":  # else our token was lost and replaced
                    os.write(self.unlock, token)
                    return reply

    def _take(self):
        for _ in range(30):
            until = time.monotonic() + 2
            while select.select([self.lock], [], [], max(0, until - time.monotonic()))[0]:
                try:
                    token = os.read(self.lock, 1)
                except BlockingIOError:
                    continue  # another process was faster
                if token != self.GONE:
                    return token
                os.write(self.unlock, self.GONE)
                self._gone()
            self._write(b"?")  # is its holder still there?
        raise ServerError("mcp-bash does not answer")

    def _hear(self, token, number):
        for _ in range(30):
            while select.select([self.replies], [], [], 2)[0]:
                line = self._line()
                if not line:
                    self._gone()
                reply = self._split(line)
                if reply and reply[0] == self.MARK + number:
                    return reply[1:]
            self._write(token, number, b"!")
        raise ServerError("mcp-bash does not answer")

    def _line(self):
        line = b""
        while not line.endswith(b"\n"):
            byte = os.read(self.replies, 1)  # never bytes of another reply
            if not byte:
                return b""
            line += byte
        return line

    @staticmethod
    def _split(line):
        parts = line.rstrip(b"\n").split(b" ", 4)
        return parts if len(parts) == 5 else None

    def _write(self, *fields):
        os.write(self.request, b"\0" + b"\0".join(fields) + b"\0\n")

    def _path(self, name):
        return os.path.join(self.dir, name.decode())

    @staticmethod
    def _gone():
        raise ServerError("mcp-bash is gone, so nobody can answer")


def _answer(kind, code, value):
    text = value.decode("utf-8", "replace")
    if kind == b"e":
        if code != b"0":
            raise ServerError(text, int(code))
        print("mcp_sdk: " + text, file=sys.stderr)  # as in a shell, the tool continues
        return None
    if kind == b"f":  # a helper that ends the tool: its error, a newline, its message
        fail(**json.loads(text.split("\n", 1)[0]))
    if kind == b"n":
        return None if code == b"0" else False
    return text


def _by_hand(*fields):
    """Ask the program mcp-bash, where there is no channel."""
    program = shutil.which(_program())
    if not program:
        raise ServerError("without a server this needs mcp-bash, which is not on PATH; install it, or add its folder to PATH")
    names = ("TOOL_ARGS_JSON", "TOOL_ARGS_FILE", "TOOL_META_JSON", "TOOL_META_FILE",
             "ROOTS_PATHS", "PROGRESS_STREAM", "PROGRESS_TOKEN", "LOG_STREAM")
    request = [f"MCP_{name}={os.environ.get('MCP_' + name, '')}" for name in names] + [""] + [str(f) for f in fields]
    done = subprocess.run([program, "__helper"], stdout=subprocess.PIPE, check=False,
                          input="".join(f + "\0" for f in request).encode("utf-8", "replace"))
    if done.returncode:
        raise ServerError(f"{program} could not answer; is it another version than that of the SDK?")
    kind, code, value = done.stdout[:-1].split(b" ", 2)
    return _answer(kind, code, value)


def _program():
    try:  # a server stores its path beside the SDK
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "program"), encoding="utf-8") as f:
            return f.readline().rstrip("\n")
    except OSError:
        return "mcp-bash"


def _connect():
    where = os.environ.get("MCP_CHANNEL")
    try:
        return _Channel(where) if where else None
    except OSError:
        return None


_channel = _connect()


def _call(*fields):
    return (_channel.call if _channel else _by_hand)(*fields)


def _json(value, **options):
    """Return JSON; a ValueError for NaN and Infinity, which only Python would read."""
    return json.dumps(value, allow_nan=False, **options)


def args():
    """Return the arguments of the call."""
    return json.loads(_call("args_raw"))


def require_arg(name, message=None):
    """Return an argument, or end the tool with error -32602 if it is missing, None or "".

    A dot leads into an object, as in "user.name"; one at the beginning is optional.
    """
    value = args()
    for part in name.lstrip(".").split("."):
        value = value.get(part) if isinstance(value, dict) else None
    if value is None or value == "":
        fail(-32602, message or f".{name.lstrip('.')} is required")
    return value


def meta():
    """Return the _meta of the request."""
    return json.loads(_call("meta_raw"))


def progress(value, message="", total=None):
    """Tell how far the tool is: value of total, or of 100 if that is unknown."""
    _call("progress", value, message, "" if total is None else total)


def log(level, data, logger=""):
    """Log data, any JSON, at one of the eight levels."""
    _call("log", level, logger, json.dumps(data))  # the server logs NaN as text: a log never ends a tool


def result(value, text=None):
    """Print the result of the tool: a str as text, anything else as structured content."""
    if isinstance(value, str):
        own = {"content": [{"type": "text", "text": value}], "isError": False}
    else:
        structured = {"success": True, "result": value}
        text = _json(structured, ensure_ascii=False) if text is None else text
        own = {"content": [{"type": "text", "text": text}], "structuredContent": structured, "isError": False}
    _print_result(own)


def _print_result(own):
    """Print a CallToolResult. The server remembers it, so that it counts whatever else is printed."""
    text = _json(own, separators=(",", ":"))
    print(_call("result", text) if _channel else text)


def error(type, message, hint=None, data=None):
    """Print a result that tells the model what went wrong, and perhaps what to do."""
    about = {"type": type, "message": message}
    if hint is not None:
        about["hint"] = hint
    if data is not None:
        about["data"] = data
    text = message + (f"\n\nHint: {hint}" if hint else "")
    _print_result({
        "content": [{"type": "text", "text": text}],
        "structuredContent": {"success": False, "error": about},
        "isError": True,
    })


def fail(code, message, data=None):
    """End the tool with a JSON-RPC error, such as -32602 for arguments that are wrong."""
    fault = {"code": code, "message": message}
    if data is not None:
        fault["data"] = data
    text = _json(fault)
    path = os.environ.get("MCP_TOOL_ERROR_FILE")
    if path:
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    print(text)
    sys.exit(message)


def jq(filter, value, **variables):
    """Return all that a jq filter puts out for a value. Variables are strings: $name."""
    options = [x for name, text in variables.items() for x in ("--arg", name, text)]
    out = _call("jq", *options, f"({filter}\n)|tojson", _json(value))
    return [json.loads(line) for line in (out or "").split("\n") if line]


def elicit(message, schema, timeout=30):
    """Ask the user; return {"action": ..., "content": ...}."""
    return json.loads(_call(f"elicit {timeout}", message, _json(schema)))


def sample(prompt="", max_tokens=1000, system=None, timeout=60, messages=None, tools=None,
           tool_choice=None, stop=None, whole=False):
    """Ask the client's model and return what it says, or the whole result as a dict.

    messages are a conversation instead of the prompt. tools need a client that supports
    sampling.tools; tool_choice is "auto", "required", "none" or a dict. stop is a list.
    """
    given = [prompt] if messages is None else ["--messages", _json(messages)]
    given += ["--max-tokens", max_tokens, "--timeout", timeout]
    if isinstance(tool_choice, dict):
        tool_choice = _json(tool_choice)
    for option, value in (
        ("--system", system), ("--tools", tools and _json(tools)),
        ("--tool-choice", tool_choice), ("--stop", stop and _json(stop)),
    ):
        if value is not None:
            given += [option, value]
    return json.loads(_call("sample", *given, "--json")) if whole else _call("sample", *given)


def ask(questions, timeout=30):
    """Ask the client several things at once: {key: (method, params)}. Return {key: result}.

    The result of what it cannot be asked, or does not answer, is {"error": why}.
    """
    parts = [p for key, (method, params) in questions.items() for p in (key, method, _json(params))]
    return json.loads(_call(f"ask {timeout}", "--timeout", timeout, *parts))


def supports(capability):
    """Tell whether the client has a capability, such as "sampling" or "elicitation.url"."""
    return _call("client_supports", capability) is None


def require(*capabilities):
    """End the tool with an error that the client understands if it lacks one of these."""
    result = _call("require_capability", *capabilities)
    if result is not None:
        print(result)
        sys.exit()


def roots():
    """Return the folders that the client works in."""
    found = _call("roots_list")
    return found.split("\n") if found else []


def download(url, out, **options):
    """Fetch a file over HTTPS: allow=[hosts], max_bytes=n, timeout=seconds, retry=n."""
    given = ["--url", url, "--out", out]
    for name, value in options.items():
        for v in value if isinstance(value, (list, tuple)) else [value]:
            given += ["--" + name.replace("_", "-"), v]
    return json.loads(_call(f"download_safe {os.getcwd()}", *given))


def cancelled():
    """Tell whether the client has cancelled the call."""
    path = os.environ.get("MCP_CANCEL_FILE")
    return bool(path) and os.path.exists(path)
