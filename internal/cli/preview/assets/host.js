"use strict";
// The host: it shows the page of a tool in a frame and speaks the extension
// io.modelcontextprotocol/ui of 2026-01-26 with it. Tests drive it as host.
const host = (() => {
  const byID = (id) => document.getElementById(id);
  const settings = new URLSearchParams(location.hash.slice(1)); // theme and width, to begin with
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const state = { theme: settings.get("theme") || (dark ? "dark" : "light"), width: Number(settings.get("width")) || (innerWidth < 732 ? 340 : 700), minimal: settings.has("minimal") };
  const log = []; // every message: { from: "page" or "host", message }
  const waiting = new Map();
  let start; // { tool, arguments, page }
  let frame;
  let last = 0;
  let calling = null; // the call of the tool that opened the page

  function note(from, message) {
    log.push({ from, message });
    byID("count").textContent = log.length;
    const item = document.createElement("li");
    item.className = from === "host" ? "in" : "";
    item.textContent = `${from}: ${JSON.stringify(message)}`;
    byID("messages").append(item);
  }

  function send(message) {
    const whole = { jsonrpc: "2.0", ...message };
    note("host", whole);
    frame.contentWindow.postMessage(whole, "*"); // its origin is opaque
  }

  const notify = (method, params = {}) => send({ method, params });
  const request = (method, params = {}) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(`host-${last}`, { resolve, reject });
      send({ id: `host-${last}`, method, params });
    });

  async function ask(method, params, { page = false, signal } = {}) {
    const response = await fetch("call", { method: "POST", signal, headers: { "Content-Type": "application/json" }, body: JSON.stringify({ method, params, page }) });
    if (!response.ok) throw new Error(await response.text());
    const { result, error } = await response.json();
    if (error) throw Object.assign(new Error(error.message), { code: error.code });
    return result;
  }

  // A minimal client passes nothing but what it must.
  const context = () => (state.minimal ? {} : {
    toolInfo: { tool: start.tool },
    theme: state.theme,
    displayMode: "inline",
    availableDisplayModes: ["inline"],
    containerDimensions: { width: state.width },
    locale: navigator.language,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    platform: "web",
  });

  const answers = {
    "ui/initialize": () => ({
      protocolVersion: "2026-01-26",
      hostInfo: { name: "mcp-bash", version: "1.0.0" },
      hostCapabilities: state.minimal ? {} : { serverTools: {}, serverResources: {}, openLinks: {}, logging: {}, updateModelContext: { text: {} } },
      hostContext: context(),
    }),
    "ui/update-model-context": ({ content = [], structuredContent }) => {
      const text = content.map((one) => (one.type === "text" ? one.text : JSON.stringify(one)));
      if (structuredContent) text.push(JSON.stringify(structuredContent, null, 2));
      byID("model").textContent = text.join("\n");
      return {};
    },
    "ui/open-link": ({ url }) => {
      if (!/^https?:/i.test(url)) throw Object.assign(new Error("Only http and https links can be opened"), { code: -32602 });
      open(url, "_blank", "noopener,noreferrer");
      return {};
    },
    "ui/message": () => ({}), // it is in the list of messages
    "ui/request-display-mode": () => ({ mode: "inline" }),
    ping: () => ({}),
    "tools/call": (params) => ask("tools/call", params, { page: true }),
    "resources/read": (params) => ask("resources/read", params, { page: true }),
  };

  async function answer({ id, method, params = {} }) {
    const asked = frame;
    let reply;
    try {
      if (!Object.hasOwn(answers, method)) throw Object.assign(new Error(`Method not found: ${method}`), { code: -32601 });
      reply = { result: await answers[method](params) };
    } catch (error) {
      reply = { error: { code: error.code ?? -32000, message: error.message } };
    }
    if (asked === frame) send({ id, ...reply });
  }

  const notifications = {
    "ui/notifications/initialized": run,
    "ui/notifications/size-changed": ({ height }) => {
      if (Number.isFinite(height)) frame.style.height = `${Math.max(0, height)}px`;
    },
  };

  addEventListener("message", ({ source, data }) => {
    if (!frame || source !== frame.contentWindow || data?.jsonrpc !== "2.0") return;
    note("page", data);
    if (data.method === undefined) {
      const asked = waiting.get(data.id);
      waiting.delete(data.id);
      if (data.error) asked?.reject(new Error(data.error.message));
      else asked?.resolve(data.result);
    } else if (data.id !== undefined) answer(data);
    else if (Object.hasOwn(notifications, data.method)) notifications[data.method](data.params || {});
  });

  // run calls the tool, when the page is ready for its result.
  async function run() {
    const shown = frame;
    let values;
    try {
      values = JSON.parse(byID("arguments").value);
    } catch (error) {
      status(`The arguments are not JSON: ${error.message}`);
      return;
    }
    notify("ui/notifications/tool-input", { arguments: values });
    calling = new AbortController();
    byID("cancel").disabled = false;
    status("The tool is running …");
    try {
      const result = await ask("tools/call", { name: start.tool.name, arguments: values }, { signal: calling.signal });
      if (shown !== frame) return;
      notify("ui/notifications/tool-result", result);
      status(result.isError ? "The tool has failed." : "The tool has answered.");
    } catch (error) {
      if (shown !== frame) return;
      const reason = error.name === "AbortError" ? "by the user" : error.message;
      notify("ui/notifications/tool-cancelled", { reason });
      status(`No result: ${reason}`);
    }
    byID("cancel").disabled = true;
  }

  function status(text) {
    byID("state").textContent = text;
  }

  // show opens the page anew, as hosts do for each call.
  async function show() {
    await close();
    const response = await fetch("start");
    const { result, error } = await response.json();
    if (error) return status(error.message);
    start = result;
    document.title = `${start.tool.title || start.tool.name} — preview`;
    byID("name").textContent = start.tool.title || start.tool.name;
    if (byID("arguments").value === "") byID("arguments").value = JSON.stringify(start.arguments, null, 2);
    frame = document.createElement("iframe");
    frame.sandbox = "allow-scripts";
    frame.title = start.tool.title || start.tool.name;
    frame.src = start.page;
    frame.style.height = "150px";
    dress();
    byID("stage").replaceChildren(frame);
  }

  // close lets the page finish before it goes, but not for ever.
  async function close(reason = "it is opened again") {
    calling?.abort();
    if (!frame) return;
    await Promise.race([request("ui/resource-teardown", { reason }).catch(() => {}), new Promise((resolve) => setTimeout(resolve, 500))]);
    frame.remove();
    frame = null;
  }

  function dress() {
    document.documentElement.style.colorScheme = state.theme;
    frame.style.width = `${state.width}px`;
  }

  function set(changed) {
    Object.assign(state, changed);
    for (const [name, value] of Object.entries(state)) {
      const input = document.querySelector(`input[name="${name}"][value="${value}"]`);
      if (input) input.checked = true;
    }
    byID("minimal").checked = state.minimal;
    if (!frame) return;
    dress();
    if (!state.minimal) notify("ui/notifications/host-context-changed", { theme: state.theme, containerDimensions: { width: state.width } });
  }

  for (const input of document.querySelectorAll("input[type=radio]")) {
    input.addEventListener("change", () => set({ [input.name]: input.name === "width" ? Number(input.value) : input.value }));
  }
  byID("minimal").addEventListener("change", ({ target }) => {
    state.minimal = target.checked;
    show();
  });
  byID("again").addEventListener("click", show);
  byID("cancel").addEventListener("click", () => calling?.abort());
  set({});
  show();
  return { log, notify, request, set, show, close };
})();
