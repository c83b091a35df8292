// connect speaks JSON-RPC with the host around the page. Notifications of the host go to the
// function in on that has the name of their method. When the host tears the page down, leave is
// called, and the page is silent from then on.
function connect(on, leave) {
  const waiting = new Map();
  let last = 0;
  let left = false;

  const send = (message) => left || parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const notify = (method, params = {}) => send({ method, params });
  const request = (method, params = {}) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      send({ id: last, method, params });
    });

  function settle({ id, result, error }) {
    const call = waiting.get(id);
    waiting.delete(id);
    if (!call) return;
    if (error) call.reject(new Error(error.message || "The client refused."));
    else call.resolve(result || {});
  }

  function answer({ id, method }) {
    const torn = method === "ui/resource-teardown";
    if (torn) leave();
    if (torn || method === "ping") send({ id, result: {} });
    else send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
    left ||= torn;
  }

  addEventListener("message", ({ source, data }) => {
    if (left || source !== parent || !isObject(data) || data.jsonrpc !== "2.0") return;
    if (data.method === undefined) settle(data);
    else if (data.id !== undefined) answer(data);
    else if (Object.hasOwn(on, data.method)) on[data.method](data.params || {});
  });
  return { notify, request };
}

// dress makes the page look like the host: light or dark, its colours, fonts and margins.
function dress({ theme, styles, safeAreaInsets: insets }) {
  const root = document.documentElement;
  if (theme === "light" || theme === "dark") root.style.colorScheme = theme;
  for (const [name, value] of Object.entries(styles?.variables || {})) {
    if (name.startsWith("--") && typeof value === "string") root.style.setProperty(name, value);
  }
  if (styles?.css?.fonts) {
    document.getElementById("fonts")?.remove();
    document.head.append(element("style", { id: "fonts" }, styles.css.fonts));
  }
  for (const [side, size] of Object.entries(insets || {})) {
    if (["top", "right", "bottom", "left"].includes(side)) root.style.setProperty(`--inset-${side}`, `${Number(size) || 0}px`);
  }
}

// reportSize keeps the host informed how much room the page needs.
function reportSize(host) {
  let last = "";
  const report = () => {
    const width = Math.ceil(document.documentElement.scrollWidth);
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    if (last === `${width} ${height}`) return;
    last = `${width} ${height}`;
    host.notify("ui/notifications/size-changed", { width, height });
  };
  new ResizeObserver(report).observe(document.body);
}

// textOf is the text of a tool's result.
function textOf(result) {
  return (result.content || []).filter((one) => one.type === "text").map((one) => one.text).join("\n");
}

// dataOf is the data of a tool's result: its structured content or else its text, as JSON if it is
// that. What a tool reports as {"success": true, "result": ...} is its result.
function dataOf(result) {
  let data = result.structuredContent;
  if (data === undefined) {
    data = textOf(result);
    try {
      data = JSON.parse(data);
    } catch {
      // it is just text
    }
  }
  return isObject(data) && data.success === true && "result" in data ? data.result : data;
}

// readable is a tool's result as people read it.
function readable(result) {
  const data = dataOf(result);
  if (!isObject(data)) return Array.isArray(data) ? JSON.stringify(data, null, 2) : shown(data);
  if (typeof data.message === "string") return data.message;
  const members = Object.entries(data);
  if (members.some(([, value]) => typeof value === "object" && value !== null)) return JSON.stringify(data, null, 2);
  return members.map(([name, value]) => `${name}: ${shown(value)}`).join("\n");
}
