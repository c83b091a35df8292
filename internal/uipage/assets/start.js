// The page begins: the template's view is made, then the host is greeted and sends what the tool
// was called with and what it answered.
const config = JSON.parse(document.getElementById("config").textContent);
const context = {};
let capabilities = {};

function say(text) {
  document.getElementById("status").textContent = text;
  document.getElementById("alert").textContent = "";
}

function complain(text) {
  document.getElementById("status").textContent = "";
  document.getElementById("alert").textContent = text;
}

// call calls a tool of the server and returns its result; the error is one to show.
async function call(name, values) {
  say(capabilities.serverTools ? "One moment …" : "Asking the client, which may not let pages call tools …");
  const result = await host.request("tools/call", { name, arguments: values });
  if (result.isError) throw new Error(textOf(result) || `${name} failed.`);
  say("");
  return result;
}

// tellModel lets the model know of a result that it did not ask for, where the host does that.
function tellModel(result) {
  if (capabilities.updateModelContext && result.content) {
    host.request("ui/update-model-context", { content: result.content }).catch(() => {});
  }
}

function take(result) {
  if (result.isError) {
    complain(textOf(result) || "The tool failed.");
    shownBy.failed?.();
    return;
  }
  say("");
  shownBy.show(dataOf(result), result);
}

function know(changed) {
  Object.assign(context, changed);
  dress(changed);
  shownBy.know?.(context);
}

const host = connect({
  "ui/notifications/tool-input": (params) => shownBy.input?.(params.arguments || {}),
  "ui/notifications/tool-result": take,
  "ui/notifications/tool-cancelled": ({ reason }) => {
    complain(reason ? `Cancelled: ${reason}` : "Cancelled.");
    shownBy.failed?.();
  },
  "ui/notifications/host-context-changed": know,
  "notifications/progress": (params) => shownBy.progress?.(params),
});
const shownBy = view({ root: document.getElementById("view"), config, call, say, complain, tellModel });

if (config.data !== undefined) shownBy.show(config.data, {});
else if (shownBy.waits) say("Waiting for the result.");

if (parent === window) {
  complain("Open this page in a client with MCP Apps.");
} else {
  host
    .request("ui/initialize", {
      protocolVersion: "2026-01-26",
      appInfo: { name: "mcp-bash", title: document.title, version: "1.0.0" },
      appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
    })
    .then((result) => {
      capabilities = result.hostCapabilities || {};
      know(result.hostContext || {});
      host.notify("ui/notifications/initialized");
      tellSize(host);
    })
    .catch((error) => complain(error.message));
}
