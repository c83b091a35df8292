// The table: one row for each object, or array, in the data.
function view({ root, config, lacks }) {
  const size = config.pageSize || 100;
  let rows = [];
  let columns = [];
  let sorted = null; // { key, down }
  let page = 0;

  function show(data) {
    const list = listIn(data, "rows");
    if (!list) return lacks("The result has no rows to show.");
    rows = list;
    page = 0;
    columns = config.columns ? config.columns.map((one) => named(one, "key")) : columnsOf(list);
    draw();
  }

  // draw makes the table anew. The button that was used gets the focus again; at the last page, the
  // other one.
  function draw() {
    const used = root.contains(document.activeElement) ? document.activeElement.dataset.use : undefined;
    const ordered = sorted ? inOrder(rows, sorted) : rows;
    const pages = Math.max(1, Math.ceil(rows.length / size));
    const visible = ordered.slice(page * size, (page + 1) * size);
    const table = element("table", {},
      element("thead", {}, element("tr", {}, ...columns.map(heading))),
      element("tbody", {}, ...visible.map((row) => element("tr", {}, ...columns.map((column) => cell(row, column))))));
    const scroller = element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": config.title || "Table" }, table);
    const turn = (by, label, disabled) =>
      element("button", { type: "button", disabled, "data-use": label, click: () => { page += by; draw(); } }, label);
    root.replaceChildren(scroller,
      rows.length === 0 ? element("p", { class: "empty" }, config.empty || "Nothing to show.") : "",
      pages === 1 ? "" : element("nav", { class: "buttons", "aria-label": "Pages" },
        turn(-1, "Previous", page === 0), turn(1, "Next", page === pages - 1),
        element("span", { class: "meta", role: "status" }, `Page ${page + 1} of ${pages}, ${rows.length} rows`)));
    const again = [...root.querySelectorAll("[data-use]")].filter((one) => one.dataset.use === used);
    const other = [...root.querySelectorAll("nav [data-use]")].filter((one) => !one.disabled);
    if (used) (again.find((one) => !one.disabled) || other[0])?.focus();
  }

  function heading(column) {
    const { key, label = key, sortable = !config.columns } = column;
    const values = rows.map((row) => valueIn(row, key)).filter((value) => value !== undefined && value !== null);
    const kind = values.length > 0 && values.every((value) => typeof value === "number") ? "number" : undefined;
    if (!sortable) return element("th", { scope: "col", class: kind }, label);
    const mine = sorted?.key === key;
    const order = !mine ? "none" : sorted.down ? "descending" : "ascending";
    const sort = () => {
      sorted = { key, down: mine && !sorted.down };
      page = 0;
      draw();
    };
    const mark = element("span", { class: "mark", "aria-hidden": "true" }, !mine ? "↕" : sorted.down ? "↓" : "↑");
    return element("th", { scope: "col", class: kind, "aria-sort": order },
      element("button", { type: "button", "data-use": `sort ${key}`, click: sort }, label, " ", mark));
  }

  return { waits: true, show };
}

function cell(row, { key }) {
  const value = valueIn(row, key);
  return element("td", { class: typeof value === "number" ? "number" : undefined }, shown(value));
}

// valueIn is the value of a column; rows that are arrays have columns 0, 1, ...
function valueIn(row, key) {
  if (typeof row !== "object" || row === null) return key === "value" ? row : undefined;
  return Object.hasOwn(row, key) ? row[key] : undefined;
}

// columnsOf are the names in all rows, in the order in which they come.
function columnsOf(rows) {
  const keys = new Set();
  for (const row of rows) {
    const names = typeof row === "object" && row !== null ? Object.keys(row) : ["value"];
    for (const name of names) keys.add(name);
  }
  return [...keys].map((key) => ({ key }));
}

// inOrder sorts numbers by size and all else as people do; what is missing comes last.
function inOrder(rows, { key, down }) {
  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : shown(a).localeCompare(shown(b), undefined, { numeric: true });
  return [...rows].sort((x, y) => {
    const [a, b] = [valueIn(x, key), valueIn(y, key)];
    const [noA, noB] = [a, b].map((value) => value === undefined || value === null);
    if (noA || noB) return noA - noB;
    return down ? compare(b, a) : compare(a, b);
  });
}
