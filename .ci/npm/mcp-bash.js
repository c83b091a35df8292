#!/usr/bin/env node
// Starts the mcp-bash of the package for this machine, which npm has installed beside this one.
"use strict";
const { spawn } = require("node:child_process");

const platform = `@mcp-bash/${process.platform}-${process.arch}`;
let program;
try {
	program = require.resolve(`${platform}/bin/mcp-bash${process.platform === "win32" ? ".exe" : ""}`);
} catch {
	console.error(`mcp-bash: the package ${platform} is missing; install mcp-bash again without --omit=optional, ` +
		"or, if there is no such package, see https://github.com/mcp-bash/mcp-bash#install");
	process.exit(1);
}
const args = process.argv.slice(2);
if (process.execve && process.platform !== "win32") {
	process.execve(program, ["mcp-bash", ...args], process.env); // takes the place of node
}
const child = spawn(program, args, { stdio: "inherit", argv0: "mcp-bash" });
process.on("SIGINT", () => {}); // which a terminal sends to both
for (const signal of ["SIGTERM", "SIGHUP"]) {
	process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
	console.error(`mcp-bash: ${program} cannot be started: ${error.message}`);
	process.exit(1);
});
child.on("exit", (code, signal) => {
	if (signal) {
		process.removeAllListeners(signal);
		process.kill(process.pid, signal);
	} else {
		process.exit(code);
	}
});
