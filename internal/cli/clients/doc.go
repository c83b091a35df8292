// Package clients makes the programs that talk to MCP servers (Claude Desktop, Cursor, VS Code, …)
// start one of ours, and reports whether they can.
//
// [All] is the table of clients: where each keeps its file on each system, and how an entry looks
// there. [Client.Put], [Client.Get] and [Client.Remove] edit the text of such a file; [File] does it
// on disk: plan with [File.Install] or [File.Uninstall], show [Change.Diff], then [Change.Apply].
// [Try] starts a server as a client does and lists its tools.
//
// Three rules hold everywhere:
//
//   - The file is the user's. Every byte that is not of our entry stays as it is: comments, other
//     servers, indentation, line ends. A file that cannot be read is not written.
//   - Uninstalling takes back installing: if the file has not changed in between, it becomes what
//     it was, byte for byte.
//   - Nothing is read from the process: the system, the home folder and the variables are given.
package clients
