// The board: cards in columns. They are moved with the pointer or with a list of the columns, and
// stay where they were if the tool fails.
function view({ root, config, call, complain }) {
  const { draggable = true, onMoveTool, onCardClickTool } = config;
  let cards = [];
  let dragged = null;
  const lists = new WeakMap(); // of columns, by card

  const placeOf = (card) => shown(card.column ?? card.status);

  // columnsNow are the columns of the config, then those that only cards name.
  function columnsNow() {
    const columns = (config.columns || []).map((one) => named(one, "id"));
    for (const card of cards) {
      const id = placeOf(card);
      if (!columns.some((one) => one.id === id)) columns.push({ id, title: id || "Without a column" });
    }
    return columns;
  }

  function show(data) {
    const list = listIn(data, "cards");
    if (!list) return complain("The result has no cards to show.");
    cards = list.filter(isObject);
    draw();
  }

  function draw() {
    const columns = columnsNow();
    root.replaceChildren(...columns.map((column) => {
      const inside = cards.filter((card) => placeOf(card) === column.id);
      const title = column.title ?? column.id;
      return element("section", {
        class: "column", "aria-label": title,
        dragover: (event) => dragged && event.preventDefault(),
        drop: (event) => {
          event.preventDefault();
          if (dragged) move(dragged, column.id);
        },
      },
        element("h2", {}, title, element("span", { class: "meta" }, ` ${inside.length}`)),
        element("ul", {}, ...inside.map((card) => cardOf(card, columns))));
    }));
  }

  function cardOf(card, columns) {
    const title = shown(card.title ?? card.id);
    const parts = [onCardClickTool
      ? element("button", { type: "button", class: "title", click: () => click(card) }, title)
      : element("span", { class: "title" }, title)];
    if (card.description) parts.push(element("p", {}, shown(card.description)));
    const labels = [card.priority, ...(Array.isArray(card.tags) ? card.tags : []), card.assignee].filter(Boolean);
    if (labels.length > 0) {
      parts.push(element("p", { class: "labels" }, ...labels.map((one) => element("span", { class: "label" }, shown(one)))));
    }
    if (draggable && columns.length > 1) {
      const places = element("select", { "aria-label": `Column of ${title}`, change: () => move(card, places.value) },
        ...columns.map(({ id, title: name }) => element("option", { value: id, selected: id === placeOf(card) }, name ?? id)));
      lists.set(card, places);
      parts.push(places);
    }
    const priority = ["high", "medium", "low"].includes(card.priority) ? ` ${card.priority}` : "";
    return element("li", {
      class: `card${priority}`, draggable: draggable ? "true" : undefined,
      dragstart: (event) => {
        dragged = card;
        event.dataTransfer?.setData("text/plain", title); // some browsers do not drag without
      },
      dragend: () => (dragged = null),
    }, ...parts);
  }

  function put(card, column) {
    const list = document.activeElement?.tagName === "SELECT";
    delete card.status;
    card.column = column;
    draw();
    if (list) lists.get(card)?.focus(); // where the keyboard was
  }

  async function move(card, column) {
    const from = placeOf(card);
    dragged = null;
    if (column === from) return;
    put(card, column);
    if (!onMoveTool) return;
    try {
      await call(onMoveTool, { id: card.id, column, from });
    } catch (error) {
      put(card, from);
      complain(error.message);
    }
  }

  async function click(card) {
    try {
      await call(onCardClickTool, { id: card.id });
    } catch (error) {
      complain(error.message);
    }
  }

  if (config.columns) draw();
  return { waits: true, show };
}
