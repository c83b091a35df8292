// The board: cards in columns. They are moved with the pointer, or with a button that offers the
// other columns, and go back to where they were if the tool fails.
function view({ root, config, use, reply, say, lacks }) {
  const { draggable = true, onMoveTool, onCardClickTool } = config;
  let cards = [];
  let dragged = null;
  let choosing = null; // the card whose columns are offered
  const moving = new Set(); // cards that a tool is called for

  const placeOf = (card) => shown(card.column ?? card.status);
  const nameOf = (card) => shown(card.title ?? card.id);
  const idOf = (card) => card.id ?? card.title;
  const known = (card) => idOf(card) !== undefined && idOf(card) !== null; // a tool can be called for it

  // columnsNow are the columns of the config, then those that only cards name.
  function columnsNow() {
    const columns = (config.columns || []).map((one) => named(one, "id"));
    for (const card of cards) {
      const id = placeOf(card);
      if (!columns.some((one) => one.id === id)) columns.push({ id, title: id || "Without a column" });
    }
    return columns.map(({ id, title = id }) => ({ id, title }));
  }

  function show(data) {
    const list = listIn(data, "cards");
    if (!list) return lacks("The result has no cards to show.");
    cards = list.filter(isObject).map((card) => ({ ...card }));
    choosing = null;
    draw();
  }

  // draw makes the board anew. The control that had the focus gets it again, where its card is now.
  function draw(focused = document.activeElement?.dataset.use) {
    const columns = columnsNow();
    root.replaceChildren(...columns.map(({ id, title }) => {
      const inside = cards.filter((card) => placeOf(card) === id);
      const column = element("section", {
        class: "column", "aria-label": title,
        dragover: (event) => {
          if (!dragged) return;
          event.preventDefault();
          column.classList.add("over");
        },
        dragleave: () => column.classList.remove("over"),
        drop: (event) => {
          event.preventDefault();
          column.classList.remove("over");
          if (dragged) move(dragged, id);
        },
      },
        element("h2", {}, element("span", {}, title), element("span", { class: "count" }, String(inside.length))),
        element("ul", {}, ...inside.map((card) => cardOf(card, columns))));
      return column;
    }));
    if (focused) [...root.querySelectorAll("[data-use]")].find((one) => one.dataset.use === focused)?.focus();
  }

  function cardOf(card, columns) {
    const title = nameOf(card);
    const at = cards.indexOf(card);
    const parts = [onCardClickTool && known(card)
      ? element("button", { type: "button", class: "title", "data-use": `open ${at}`, click: () => click(card) }, title)
      : element("span", { class: "title" }, title)];
    if (card.description) parts.push(element("p", {}, shown(card.description)));
    const labels = [card.priority, ...(Array.isArray(card.tags) ? card.tags : []), card.assignee].filter(Boolean);
    if (labels.length > 0) {
      parts.push(element("p", { class: "labels" }, ...labels.map((one) => element("span", { class: "label" }, shown(one)))));
    }
    const movable = draggable && columns.length > 1 && (known(card) || !onMoveTool);
    if (movable) parts.push(...mover(card, columns, at));
    const priority = ["high", "medium", "low"].includes(card.priority) ? ` ${card.priority}` : "";
    return element("li", {
      class: `card${priority}`, draggable: movable ? "true" : undefined, "aria-busy": moving.has(card) ? "true" : undefined,
      dragstart: (event) => {
        dragged = card;
        event.dataTransfer?.setData("text/plain", title); // some browsers do not drag without
      },
      dragend: () => (dragged = null),
    }, ...parts);
  }

  // mover is a button, and the columns that it offers when it was pressed. A list of options would
  // move the card with every arrow key.
  function mover(card, columns, at) {
    const open = choosing === card;
    const toggle = (yes) => {
      choosing = yes ? card : null;
      draw(yes ? `to ${at}` : `move ${at}`);
    };
    const button = element("button", {
      type: "button", class: "small", "data-use": `move ${at}`, "aria-label": `Move ${nameOf(card)}`, "aria-expanded": String(open), click: () => toggle(!open),
    }, "Move");
    if (!open) return [button];
    const others = columns.filter(({ id }) => id !== placeOf(card));
    const places = others.map(({ id, title }, i) =>
      element("button", { type: "button", class: "small", "data-use": i === 0 ? `to ${at}` : undefined, click: () => move(card, id) }, title));
    const group = element("div", {
      class: "places", role: "group", "aria-label": `Columns for ${nameOf(card)}`,
      keydown: (event) => {
        const next = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
        if (event.key === "Escape") toggle(false);
        else if (next) places[(places.indexOf(document.activeElement) + next + places.length) % places.length].focus();
        else return;
        event.preventDefault();
      },
    }, ...places);
    return [button, group];
  }

  function put(card, column) {
    delete card.status;
    card.column = column;
    choosing = null;
    draw(`move ${cards.indexOf(card)}`);
  }

  async function move(card, column) {
    const from = placeOf(card);
    dragged = null;
    if (column === from || moving.has(card)) return;
    if (!onMoveTool) return put(card, column);
    moving.add(card);
    put(card, column);
    const result = await use(onMoveTool, { id: idOf(card), column, from });
    moving.delete(card);
    if (result && listIn(dataOf(result), "cards")) return show(dataOf(result)); // the board as it is now
    if (result) {
      draw();
      reply(readable(result));
    } else {
      put(card, from);
    }
  }

  let clicked; // the card that a tool is called for
  async function click(card) {
    if (clicked === card) return;
    clicked = card;
    const result = await use(onCardClickTool, { id: idOf(card) });
    if (clicked !== card) return; // another one was clicked meanwhile
    clicked = undefined;
    if (result) reply(readable(result));
  }

  if (config.columns) draw();
  return { waits: true, show };
}
