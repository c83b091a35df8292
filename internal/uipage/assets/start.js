// The page begins: the template's view is made, then the host is greeted and sends what the tool
// was called with and what it answered.
const config = JSON.parse(document.getElementById("config").textContent);
const context = {};
const answer = document.getElementById("answer");
let capabilities = {};
let learned = []; // what was reported to the model, most recent last

function say(text) {
  document.getElementById("status").textContent = text;
  document.getElementById("alert").textContent = "";
}

function complain(text) {
  document.getElementById("status").textContent = "";
  document.getElementById("alert").textContent = text.trimEnd();
}

// call calls a tool of the server and returns its result; the error is one to show.
async function call(name, values) {
  const result = await host.request("tools/call", { name, arguments: values });
  if (result.isError) throw new Error(textOf(result) || `${name} failed.`);
  return result;
}

// use calls a tool for the user: it shows the state of the call and reports its result to the model,
// with those values that may be shared. It returns the result, or undefined if the call failed.
async function use(name, values, shared = values) {
  reply("");
  say(capabilities.serverTools ? "One moment …" : "Asking the client, which may not let pages call tools …");
  try {
    const result = await call(name, values);
    say("");
    inform(name, shared, result);
    return result;
  } catch (error) {
    complain(error.message);
    return undefined;
  }
}

// reply shows the answer of a tool; an empty one takes the last one away.
function reply(text) {
  answer.textContent = text.trimEnd(); // most scripts end their last line
  answer.hidden = answer.textContent === "";
}

// inform reports to the model what the user did, where the host supports that. Each message replaces
// the one before, so it repeats the most recent ones.
function inform(name, values, result) {
  if (!capabilities.updateModelContext) return;
  const given = Object.keys(values).length > 0 ? ` with ${JSON.stringify(values)}` : "";
  learned = [...learned, { type: "text", text: `The user called ${name}${given} on this page. It answered:` }, ...(result.content || [])].slice(-40);
  host.request("ui/update-model-context", { content: learned }).catch(() => {});
}

function take(result) {
  if (result.isError) {
    say("");
    shownBy.end?.("failed");
    complain(textOf(result) || "The tool failed.");
    return;
  }
  say("");
  shownBy.show(dataOf(result), result);
}

// lacks complains of a result with nothing to show, unless the page came with its own data.
function lacks(text) {
  if (config.data === undefined) complain(text);
}

function know(changed) {
  Object.assign(context, changed);
  dress(changed);
  shownBy.know?.(context);
}

const host = connect(
  {
    "ui/notifications/tool-input": (params) => shownBy.input?.(params.arguments || {}),
    "ui/notifications/tool-result": take,
    "ui/notifications/tool-cancelled": ({ reason }) => {
      shownBy.end?.("cancelled");
      complain(reason ? `Cancelled: ${reason}` : "Cancelled.");
    },
    "ui/notifications/host-context-changed": know,
    "notifications/progress": (params) => shownBy.progress?.(params),
  },
  () => shownBy.leave?.(),
);
const shownBy = view({ root: document.getElementById("view"), config, call, use, reply, say, complain, lacks });

if (config.data !== undefined) shownBy.show(config.data, {});
else if (shownBy.waits) say("Waiting for the result.");

if (parent !== window) {
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
      reportSize(host);
    })
    .catch((error) => complain(error.message));
} else if (config.data === undefined) {
  complain("Open this page in a client with MCP Apps.");
}
