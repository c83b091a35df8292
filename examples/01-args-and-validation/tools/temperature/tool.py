#!/usr/bin/env python3
import json
import os

# The arguments are JSON, so a JSON parser reads them. They satisfy inputSchema,
# or this script would not have been started.
path = os.environ.get("MCP_TOOL_ARGS_FILE")  # set where they are too long for a variable
text = open(path, encoding="utf-8").read() if path else os.environ["MCP_TOOL_ARGS_JSON"]
args = json.loads(text)

KELVIN = {
    "celsius": (lambda t: t + 273.15, lambda k: k - 273.15),
    "fahrenheit": (lambda t: (t + 459.67) * 5 / 9, lambda k: k * 9 / 5 - 459.67),
    "kelvin": (lambda t: t, lambda k: k),
}
value, source, target = args["value"], args["from"], args["to"]
digits = int(args.get("digits", 1))
result = KELVIN[target][1](KELVIN[source][0](value))
print(f"{value} {source} is {result:.{digits}f} {target}")
