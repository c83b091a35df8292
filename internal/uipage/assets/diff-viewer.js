// The differences of two texts, side by side or one below the other. Text in the unified format, as
// git diff prints it, is shown as it is.
function view({ root, config, lacks }) {
  const { viewMode = "split", showLineNumbers = true, leftTitle = "Original", rightTitle = "Modified" } = config;

  const narrow = matchMedia("(max-width: 560px)"); // there two columns leave no room for text
  let drawn = null; // { lines, summary }
  narrow.addEventListener("change", draw);

  function show(data) {
    const texts = isObject(data) ? [data.left ?? data.original, data.right ?? data.modified] : [];
    if (texts.some((text) => text !== undefined && text !== null)) {
      const [left, right] = texts.map((text) => (typeof text === "object" && text !== null ? JSON.stringify(text, null, 2) : shown(text)));
      const lines = compare(linesOf(left), linesOf(right));
      drawn = { lines, summary: summaryOf(lines) || (left === right ? "No differences." : "The lines are the same; how they end differs.") };
    } else if (typeof data === "string" || typeof data?.diff === "string") {
      const text = shown(data.diff ?? data);
      const lines = parseUnified(text);
      drawn = { lines, summary: summaryOf(lines) || (text.trim() === "" ? "No differences." : "") };
    } else {
      return lacks("The result has no left and right to compare.");
    }
    draw();
  }

  function draw() {
    if (!drawn) return;
    const { lines, summary } = drawn;
    const table = viewMode === "unified" || narrow.matches ? unified(lines) : split(lines);
    root.replaceChildren(
      summary === "" ? "" : element("p", { class: "step" }, summary),
      lines.length === 0 ? "" : element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": config.title || "Differences" }, table));
  }

  const number = (n) => (showLineNumbers ? [element("td", { class: "line" }, shown(n))] : []);
  const marks = { added: "+", removed: "−" };
  const code = (line) =>
    element("td", { class: `code ${line?.kind || "none"}` }, element("span", { class: "mark" }, marks[line?.kind] || " "), line ? line.text : "");
  const head = (...titles) =>
    element("thead", {}, element("tr", {}, ...titles.map(([span, title]) => element("th", { scope: "col", colspan: span }, title))));

  const note = ({ text }, span) => element("tr", {}, element("td", { class: "code note", colspan: span }, text));

  function unified(lines) {
    const span = showLineNumbers ? 3 : 1;
    return element("table", {}, head([span, `${leftTitle} → ${rightTitle}`]),
      element("tbody", {}, ...lines.map((line) =>
        line.kind === "note" ? note(line, span) : element("tr", {}, ...number(line.left), ...number(line.right), code(line)))));
  }

  function split(lines) {
    const span = showLineNumbers ? 2 : 1;
    const halves = [...Array(2)].flatMap(() => (showLineNumbers ? [element("col", { class: "line" }), element("col")] : [element("col")]));
    return element("table", { class: "split" }, element("colgroup", {}, ...halves), head([span, leftTitle], [span, rightTitle]),
      element("tbody", {}, ...pairs(lines).map(([left, right]) =>
        left?.kind === "note"
          ? note(left, 2 * span)
          : element("tr", {}, ...number(left?.left), code(left), ...number(right?.right), code(right)))));
  }

  return { waits: true, show };
}

// summaryOf counts what has changed; "" if no line has.
function summaryOf(lines) {
  const [added, removed] = ["added", "removed"].map((wanted) => lines.filter(({ kind }) => kind === wanted).length);
  return added + removed === 0 ? "" : `${added} added, ${removed} removed`;
}

function linesOf(text) {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

// parseUnified reads the unified format; what it does not know is shown as a note.
function parseUnified(text) {
  let left = 0;
  let right = 0;
  let inHunk = false;
  return linesOf(text).map((line) => {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (hunk) {
      [left, right, inHunk] = [Number(hunk[1]), Number(hunk[2]), true];
      return { kind: "note", text: line };
    }
    if (line.startsWith("diff ")) inHunk = false;
    const rest = line.slice(1);
    if (inHunk && line.startsWith("+")) return { kind: "added", text: rest, right: right++ };
    if (inHunk && line.startsWith("-")) return { kind: "removed", text: rest, left: left++ };
    if (inHunk && (line.startsWith(" ") || line === "")) return { kind: "same", text: rest, left: left++, right: right++ };
    return { kind: "note", text: line };
  });
}

// pairs puts what was removed beside what was added in its place.
function pairs(lines) {
  const rows = [];
  let removed = [];
  let added = [];
  const flush = () => {
    for (let i = 0; i < Math.max(removed.length, added.length); i++) rows.push([removed[i], added[i]]);
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    if (line.kind === "removed") removed.push(line);
    else if (line.kind === "added") added.push(line);
    else {
      flush();
      rows.push([line, line]);
    }
  }
  flush();
  return rows;
}

// compare finds the longest common subsequence of lines. Where that would take too long, what is
// between the equal beginning and the equal end counts as changed as a whole.
function compare(a, b) {
  let from = 0;
  let [endA, endB] = [a.length, b.length];
  while (from < endA && from < endB && a[from] === b[from]) from++;
  while (endA > from && endB > from && a[endA - 1] === b[endB - 1]) [endA, endB] = [endA - 1, endB - 1];
  const same = (i, j) => ({ kind: "same", text: a[i], left: i + 1, right: j + 1 });
  const removed = (i) => ({ kind: "removed", text: a[i], left: i + 1 });
  const added = (j) => ({ kind: "added", text: b[j], right: j + 1 });

  const lines = [];
  for (let i = 0; i < from; i++) lines.push(same(i, i));
  const [height, width] = [endA - from, endB - from];
  let [i, j] = [from, from];
  if (height * width <= 4_000_000) {
    // longest[i][j], in one array: of the lines from i and from j on
    const longest = new Uint32Array((height + 1) * (width + 1));
    const at = (x, y) => longest[(x - from) * (width + 1) + y - from];
    for (let x = endA - 1; x >= from; x--) {
      for (let y = endB - 1; y >= from; y--) {
        longest[(x - from) * (width + 1) + y - from] =
          a[x] === b[y] ? at(x + 1, y + 1) + 1 : Math.max(at(x + 1, y), at(x, y + 1));
      }
    }
    while (i < endA && j < endB) {
      if (a[i] === b[j]) lines.push(same(i++, j++));
      else if (at(i + 1, j) >= at(i, j + 1)) lines.push(removed(i++));
      else lines.push(added(j++));
    }
  }
  while (i < endA) lines.push(removed(i++));
  while (j < endB) lines.push(added(j++));
  for (; endA < a.length; endA++, endB++) lines.push(same(endA, endB));
  return lines;
}
