"use strict";
// Shows the report that `explain --json` prints. All of it is text: nothing in it becomes markup.

// Digits are a number that is more exact than those of JavaScript, as it was written.
class Digits {
  constructor(text) { this.text = text; }
  toJSON() { return this.text; }
}
const exact = (key, value, context) => typeof value === "number" && context && /\d{15}/.test(context.source) ? new Digits(context.source) : value;
const data = document.getElementById("data").textContent;
const report = JSON.parse(data, /\d{16}/.test(data) ? exact : undefined);
const messages = report.messages;
const $ = (id) => document.getElementById(id);
const height = 28; // of a row

// make returns an element with children, which are texts or elements.
const make = (tag, props, ...children) => {
  const e = Object.assign(document.createElement(tag), props);
  e.append(...children.filter((c) => c !== null && c !== undefined && c !== ""));
  return e;
};
const draw = (tag, attributes) => {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  return e;
};
const took = (ms) => ms < 10 ? ms.toFixed(1) + " ms" : ms < 1000 ? Math.round(ms) + " ms" : (ms / 1000).toFixed(2) + " s";
const plural = (n, thing) => n + " " + thing + (n === 1 ? "" : "s");
const id = (m) => (m.from === "server" && m.kind === "call" ? "?" : "") + (m.id || "").replace(/^"|"$/g, "");
const title = (m) => [m.method, m.name].filter(Boolean).join(" ") || m.kind;
const colour = (outcome) => /^(failed|refused|never)/.test(outcome) ? "bad" : outcome === "ok" ? "good" : "warn";
const narrow = matchMedia("(max-width: 760px)");
const clock = (m) => (Number.isNaN(m.at) ? "" : new Date(m.at).toISOString()).slice(narrow.matches ? 14 : 11, 23); // UTC
const number = (m) => m.id ? make("span", {className: "dim"}, " #" + id(m)) : "";

for (const m of messages) {
  m.at = Date.parse(m.time);
  m.of = m.for ? messages[m.for - 1] : undefined;
  if (m.of && m.kind !== "response") (m.of.sent ||= []).push(m);
}
// The cause of a message is where it began: itself, or what it answers or was sent for.
const causeOf = (m) => { while (m.of) m = m.of; return m; };
const titleOf = (m) => m.kind === "response" && m.of ? title(m.of) : title(m);

// The filters.
const calls = messages.filter((m) => m.kind === "call");
const choices = (select, all, values) => {
  const counts = new Map();
  for (const v of values) if (v) counts.set(v, (counts.get(v) || 0) + 1);
  select.append(new Option(all, ""));
  for (const [v, n] of [...counts].sort(([a], [b]) => a < b ? -1 : 1)) select.append(new Option(v + " (" + n + ")", v));
};
choices($("method"), "all", messages.map((m) => m.method));
choices($("name"), "all", calls.map((m) => m.name));
choices($("outcome"), "all", calls.map((m) => m.outcome));
$("session").append(new Option("all", ""), ...report.sessions.map((s) => new Option([s.number, s.client].filter(Boolean).join(" "), s.number)));
$("sessions").hidden = report.sessions.length < 2;

let shown = messages, chosen = -1; // an index in shown
const filter = () => {
  const [method, name, outcome, session] = ["method", "name", "outcome", "session"].map((f) => $(f).value);
  const text = $("text").value.toLowerCase(), before = shown[chosen];
  const has = (m) => (m.search ||= [title(m), m.reason, JSON.stringify(m.message), JSON.stringify(m.steps)].join(" ").toLowerCase()).includes(text);
  shown = messages.filter((m) => {
    const cause = causeOf(m);
    return (!method || m.method === method || cause.method === method) && (!name || cause.name === name) &&
      (!outcome || m.outcome === outcome || cause.outcome === outcome) && (!session || m.session === Number(session)) &&
      (!text || has(m) || has(cause));
  });
  $("count").textContent = shown.length === messages.length ? plural(messages.length, "message") : shown.length + " of " + plural(messages.length, "message");
  $("room").style.height = shown.length * height + "px";
  chosen = shown.indexOf(before);
  rows();
};

// The list: only the rows that can be seen exist.
const list = $("list");
const rows = () => {
  const first = Math.max(0, Math.floor(list.scrollTop / height) - 10);
  const last = Math.min(shown.length, Math.ceil((list.scrollTop + list.clientHeight) / height) + 10);
  const kin = chosen >= 0 && causeOf(shown[chosen]);
  $("room").replaceChildren(...shown.slice(first, last).map((m, i) => row(m, first + i, kin)));
  if (chosen >= first && chosen < last) list.setAttribute("aria-activedescendant", "row-" + chosen);
  else list.removeAttribute("aria-activedescendant");
};
const row = (m, index, kin) => {
  const end = m.kind === "response" && m.of ? m.of : m; // an outcome is told where the answer is
  const state = end.outcome && (m !== end || !m.answer) ? end.outcome + (end.answer ? " " + took(end.tookMs || 0) : "") : "";
  const e = make("div", {id: "row-" + index, className: "row " + m.from + (kin && causeOf(m) === kin ? " kin" : "")},
    make("time", {}, clock(m)), make("span", {className: "arrow", title: "from the " + m.from}, m.from === "client" ? "→" : "←"),
    make("span", {className: "what"}, titleOf(m), number(end)),
    make("span", {className: state && colour(end.outcome)}, state));
  e.setAttribute("role", "option");
  e.setAttribute("aria-selected", index === chosen);
  e.setAttribute("aria-setsize", shown.length);
  e.setAttribute("aria-posinset", index + 1);
  e.style.top = index * height + "px";
  return e;
};
const choose = (index, opens) => {
  if (shown.length === 0) return;
  chosen = Math.max(0, Math.min(shown.length - 1, index));
  const top = chosen * height;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + height > list.scrollTop + list.clientHeight) list.scrollTop = top + height - list.clientHeight;
  rows();
  detail(shown[chosen]);
  if (opens) document.body.classList.add("open");
};
const go = (m) => { // to a message, also to one that the filters hide
  if (!shown.includes(m)) { $("filters").reset(); filter(); }
  choose(shown.indexOf(m), true);
};
const back = () => { document.body.classList.remove("open"); list.focus(); };

let due = 0;
list.addEventListener("scroll", () => { due ||= requestAnimationFrame(() => { due = 0; rows(); }); });
list.addEventListener("click", (e) => {
  const hit = e.target.closest(".row");
  if (hit) choose(Number(hit.id.slice(4)), true);
});
list.addEventListener("keydown", (e) => {
  const page = Math.max(1, Math.floor(list.clientHeight / height) - 1);
  const to = {ArrowDown: chosen + 1, ArrowUp: Math.max(chosen, 0) - 1, PageDown: chosen + page, PageUp: chosen - page, Home: 0, End: shown.length - 1}[e.key];
  if (to !== undefined) choose(to, false);
  else if (e.key === "Enter" && chosen >= 0) { choose(chosen, true); $("detail").focus(); }
  else return;
  e.preventDefault();
});
addEventListener("keyup", (e) => { // when the key is up, it is not typed into the field
  if (e.key === "Escape") back();
  if (e.key === "/" && !/^(INPUT|SELECT)$/.test(document.activeElement.tagName)) $("text").focus();
});
addEventListener("resize", rows);
$("filters").addEventListener("input", filter);
$("filters").addEventListener("submit", (e) => { e.preventDefault(); back(); });

// A message, with what happened to it.
const detail = (m) => {
  const call = m.kind === "response" && m.of ? m.of : m, answer = call.answer ? messages[call.answer - 1] : null;
  const other = call.from === "client" ? "server" : "client", session = report.sessions[m.session - 1];
  const facts = ["message " + call.number, call.line && "line " + call.line + " of the client", call.time,
    report.sessions.length > 1 && "session " + [session.number, session.client, session.name].filter(Boolean).join(" ")].filter(Boolean);
  const parts = [make("button", {id: "back", onclick: back}, "← All messages"),
    make("h2", {}, (call.from === "client" ? "→ " : "← ") + title(call), number(call)),
    make("p", {className: "dim"}, facts.join(" · "))];
  if (call.outcome) {
    parts.push(make("p", {className: colour(call.outcome)}, call.outcome + (call.exit ? " exit " + call.exit : "") + (answer ? " after " + took(call.tookMs || 0) : ""),
      call.reason ? ": " + call.reason : ""));
  }
  if (call.of) parts.push(make("p", {}, "For ", link(call.of)));
  parts.push(make("h3", {}, "What the " + call.from + " sent, " + plural(call.bytes, "byte")), json(call.message));
  if (call.steps) parts.push(make("h3", {}, "What stages and scripts did"), make("table", {className: "steps"}, ...call.steps.map((s) => step(s, call))));
  if (call.sent) parts.push(make("h3", {}, "Sent for it"), ...call.sent.slice(0, 200).map((s) => make("p", {}, clock(s) + " ", link(s))));
  const stderr = answer && answer.message && answer.message.result && answer.message.result._meta && answer.message.result._meta.stderr;
  if (typeof stderr === "string" && stderr) parts.push(make("h3", {}, "stderr"), make("pre", {}, stderr));
  if (answer) parts.push(make("h3", {}, "What the " + other + " answered, " + plural(answer.bytes, "byte")), json(answer.message));
  const next = messages.slice((answer || call).number).find((n) => n.session === call.session && n.from === call.from && n.of !== call);
  if (next) parts.push(make("h3", {}, "What the " + call.from + " did next, " + took(next.at - (answer || call).at) + " later"), make("p", {}, link(next)));
  $("detail").replaceChildren(...parts.filter(Boolean));
  $("detail").scrollTop = 0;
};
const link = (m) => make("button", {className: "link", onclick: () => go(m)}, titleOf(m), number(m));
const span = (text) => { // a note that is a duration
  const parts = /^([\d.]+)(µs|ms|s)$/.exec(text);
  return parts ? took(parts[1] * {"µs": 0.001, ms: 1, s: 1000}[parts[2]]) : text;
};
const step = (s, call) => {
  const notes = Object.entries(s.notes || {}).map(([k, v]) => k + " " + span(v)).join(" · ");
  const what = make("td", {}, s.stage + (s.direction === "out" ? ", on the way out" : "") + " " + (notes || s.verdict), s.reason ? ": " + s.reason : "");
  if (s.patch) what.append(...s.patch.map((p) => make("div", {}, p.op + " " + p.path + (p.op === "remove" ? "" : " = " + JSON.stringify(p.value)))));
  if (s.bytes) what.append(make("div", {}, s.bytes.from + " bytes became " + s.bytes.to));
  return make("tr", {}, make("td", {}, "+" + took(Math.max(0, Date.parse(s.time) + s.micros / 1000 - call.at))), what);
};

// JSON, folded below the second level. What is folded is made when it is opened.
const json = (value) => typeof value === "string" ? make("pre", {}, value) : make("div", {className: "json"}, tree(value, 0));
const tree = (value, depth) => {
  if (value === null || typeof value !== "object" || value instanceof Digits) return leaf(value);
  const [open, close] = Array.isArray(value) ? "[]" : "{}", entries = Object.entries(value);
  if (entries.length === 0) return make("span", {}, open + close);
  const e = make("details", {}, make("summary", {}, open + " " + entries.length + " " + close));
  const fill = () => {
    if (e.children.length > 1) return;
    e.append(make("div", {}, ...entries.slice(0, 1000).map(([k, v]) => make("div", {}, make("span", {className: "key"}, k), ": ", tree(v, depth + 1))),
      entries.length > 1000 ? "… " + (entries.length - 1000) + " more" : ""));
  };
  e.addEventListener("toggle", fill);
  if (depth < 3 && entries.length <= 50) { fill(); e.open = true; }
  return e;
};
const leaf = (value) => {
  if (typeof value !== "string") return make("span", {className: "other"}, value instanceof Digits ? value.text : String(value));
  const most = 2000, e = make("span", {className: "text"}, JSON.stringify(value.slice(0, most)));
  if (value.length <= most) return e;
  const more = make("button", {className: "link"}, "… " + (value.length - most) + " more");
  more.onclick = () => e.replaceChildren(JSON.stringify(value));
  e.append(more);
  return e;
};

// The charts.
const begin = messages.length ? messages[0].at : 0, end = messages.length ? messages[messages.length - 1].at : 0;
const flight = () => {
  const columns = 300, counts = new Array(columns).fill(0), width = Math.max(1, end - begin);
  const column = (t) => Math.min(columns - 1, Math.floor((t - begin) / width * columns));
  const changes = [];
  for (const m of calls) {
    if (m.from !== "client" || m.outcome === "cancelled") continue;
    changes.push([m.at, 1]);
    if (m.answer) changes.push([m.at + (m.tookMs || 0), -1]);
  }
  changes.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  let now = 0, at = 0;
  for (const [t, change] of changes) {
    for (const to = column(t); at < to;) counts[++at] = Math.max(counts[at], now);
    now += change;
    counts[at] = Math.max(counts[at], now);
  }
  while (at < columns - 1) counts[++at] = now;
  const most = Math.max(1, ...counts);
  const svg = draw("svg", {viewBox: "0 0 " + columns + " 100", preserveAspectRatio: "none", role: "img"});
  svg.setAttribute("aria-label", "At most " + plural(most, "call") + " in flight at once");
  svg.append(draw("path", {d: "M0 100" + counts.map((n, i) => "V" + (100 - n / most * 92) + "H" + (i + 1)).join("") + "V100Z"}));
  svg.onclick = (e) => {
    const box = svg.getBoundingClientRect(), t = begin + (e.clientX - box.left) / box.width * width;
    const hit = shown.findIndex((m) => m.at >= t);
    if (hit >= 0) choose(hit, false);
  };
  $("flight").replaceChildren(svg, make("div", {className: "ends"}, make("span", {}, messages.length ? clock(messages[0]) : ""),
    make("span", {}, "at most " + most), make("span", {}, messages.length ? clock(messages[messages.length - 1]) : "")));
};
const durations = () => {
  const tools = new Map();
  for (const m of calls) {
    if (!m.answer || m.from !== "client") continue;
    const name = m.name || m.method;
    if (!tools.has(name)) tools.set(name, {all: [], by: m});
    tools.get(name).all.push(m.tookMs || 0);
  }
  const at = (all, part) => all[Math.min(all.length - 1, Math.ceil(all.length * part) - 1)];
  const figures = [...tools].map(([name, {all, by}]) => {
    all.sort((a, b) => a - b);
    return {name, by, n: all.length, half: at(all, 0.5), most: at(all, 0.95), all: at(all, 1)};
  }).sort((a, b) => b.most - a.most).slice(0, 50);
  const longest = Math.max(1, ...figures.map((f) => f.all));
  $("durations").replaceChildren(...figures.map((f) => {
    const svg = draw("svg", {viewBox: "0 0 100 12", preserveAspectRatio: "none", "aria-hidden": "true"});
    for (const part of ["all", "most", "half"]) svg.append(draw("rect", {class: part, width: Math.max(0.5, f[part] / longest * 100), height: 12}));
    const choice = f.by.name ? ["name", f.name] : ["method", f.name];
    return make("button", {type: "button", title: "Show only these", onclick: () => { $(choice[0]).value = choice[1]; filter(); }},
      make("span", {}, f.name), svg, make("span", {}, took(f.half) + ", " + took(f.most) + ", " + took(f.all) + " (" + f.n + ")"));
  }));
};

const wrong = calls.filter((m) => colour(m.outcome) === "bad").length;
document.title = report.file.split(/[\\/]/).pop();
$("title").textContent = document.title;
$("summary").textContent = [plural(report.sessions.length, "session"), plural(messages.length, "message"), plural(calls.length, "call"),
  wrong + " failed or never answered", report.sessions.length === 1 && report.sessions[0].client, report.sessions.length === 1 && report.sessions[0].project]
  .filter(Boolean).join(" · ");
flight();
durations();
filter();
if (shown.length) choose(Math.max(0, shown.findIndex((m) => m.outcome && colour(m.outcome) === "bad")), false);
else $("detail").append("The recording has no messages.");
list.focus({preventScroll: true});
