// Package clients configures programs that use MCP servers (Claude Desktop, Cursor, VS Code, …) to
// start a server of ours, and reports whether they can.
//
// [All] is the table of clients: where each keeps its file on each system, and the form of an entry
// there. [Client.Put], [Client.Update], [Client.Get] and [Client.Remove] edit the text of such a file; [File] does it
// on disk: plan with [File.Install] or [File.Uninstall], show [Change.Diff], then [Change.Apply].
// [Try] starts a server as a client does and lists its tools.
//
// Three rules hold everywhere:
//
//   - The file is the user's. Every byte outside of our entry stays as it is: comments, other
//     servers, indentation, line ends. What users add to our entry stays too, until it is removed.
//     A file that cannot be parsed is not written.
//   - Uninstalling reverses installing: if nothing but our entry has changed in between, the file
//     becomes what it was, byte for byte.
//   - Nothing is read from the process: the system, the home folder and the variables are given.
package clients
