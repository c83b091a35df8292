// The tree: nodes that open and close, by the keys that trees have. Children are made when they are
// first seen.
function view({ root, config, use, reply, say, lacks }) {
  const { showIcons = true, expandLevel = 1, selectable = Boolean(config.onSelectTool), onSelectTool } = config;
  const drawings = {
    folder: "M1.5 3.5h4.5l1.5 2h7v7.5h-13z",
    "folder-open": "M1.5 13V3.5H6l1.5 2h5.5V7.5M1.5 13l2.2-5.5h11.3L13 13z",
    file: "M3.5 1.5H9L12.5 5v9.5h-9zM9 1.5V5h3.5",
  };
  const tree = element("ul", { role: "tree", "aria-label": config.title || "Tree", keydown: press, hidden: true });
  const nodes = new WeakMap(); // of the items
  let asked; // the node that a tool is called for
  root.append(tree);

  function show(data) {
    const list = isObject(data) && (data.label !== undefined || data.id !== undefined) ? [data] : listIn(data, "nodes");
    if (!list) return lacks("The result has no nodes to show.");
    tree.replaceChildren(...list.map((node) => itemOf(node, 1)));
    tree.hidden = list.length === 0;
    if (list.length === 0) say("Nothing to show.");
    tree.firstElementChild?.setAttribute("tabindex", "0");
  }

  function itemOf(written, level) {
    const node = named(written, "label");
    const children = Array.isArray(node.children) ? node.children : [];
    const item = element("li", {
      role: "treeitem", tabindex: "-1", "aria-level": level, "aria-label": [node.label ?? node.id, node.meta].map(shown).filter(Boolean).join(" "),
      "aria-expanded": children.length > 0 ? "false" : undefined,
      "aria-selected": selectable ? "false" : undefined,
    });
    nodes.set(item, { node, children, level });
    const kind = Object.hasOwn(drawings, node.icon) ? node.icon : children.length > 0 ? "folder" : "file";
    const icon = node.iconChar ? [...shown(node.iconChar)].slice(0, 2).join("") : drawing(drawings[kind]);
    item.append(element("div", { class: "node", click: () => click(item) },
      element("span", { class: "twist", "aria-hidden": "true" }, children.length > 0 ? "▸" : " "),
      showIcons ? element("span", { class: "icon", "aria-hidden": "true" }, icon) : "",
      element("span", { class: "name" }, shown(node.label ?? node.id)),
      node.meta === undefined ? "" : element("span", { class: "meta" }, shown(node.meta))));
    if (level <= expandLevel) open(item, true);
    return item;
  }

  function open(item, yes) {
    const { children, level } = nodes.get(item);
    if (children.length === 0) return;
    item.setAttribute("aria-expanded", String(yes));
    item.querySelector(".twist").textContent = yes ? "▾" : "▸";
    let group = groupOf(item);
    if (!group && yes) {
      group = element("ul", { role: "group" }, ...children.map((child) => itemOf(child, level + 1)));
      item.append(group);
    }
    if (group) group.hidden = !yes;
  }

  const groupOf = (item) => [...item.children].find((one) => one.getAttribute("role") === "group");
  const isOpen = (item) => item.getAttribute("aria-expanded") === "true";
  const parentOf = (item) => item.parentElement?.closest("[role=treeitem]");

  function focus(item) {
    if (!item) return;
    for (const one of tree.querySelectorAll("[tabindex='0']")) one.setAttribute("tabindex", "-1");
    item.setAttribute("tabindex", "0");
    item.focus();
  }

  function click(item) {
    focus(item);
    open(item, !isOpen(item));
    select(item);
  }

  async function select(item) {
    if (!selectable) return;
    for (const one of tree.querySelectorAll("[aria-selected=true]")) one.setAttribute("aria-selected", "false");
    item.setAttribute("aria-selected", "true");
    const { node } = nodes.get(item);
    if (!onSelectTool || asked === node) return;
    asked = node;
    const result = await use(onSelectTool, { id: node.id ?? node.label });
    if (asked !== node) return; // another one was selected meanwhile
    asked = undefined;
    if (result) reply(readable(result));
  }

  function press(event) {
    const item = event.target.closest("[role=treeitem]");
    if (!item) return;
    const visible = [...tree.querySelectorAll("[role=treeitem]")].filter((one) => !one.closest("[hidden]"));
    const i = visible.indexOf(item);
    const keys = {
      ArrowDown: () => focus(visible[i + 1]),
      ArrowUp: () => focus(visible[i - 1]),
      ArrowRight: () => (isOpen(item) ? focus(groupOf(item).firstElementChild) : open(item, true)),
      ArrowLeft: () => (isOpen(item) ? open(item, false) : focus(parentOf(item))),
      Home: () => focus(visible[0]),
      End: () => focus(visible.at(-1)),
      Enter: () => (selectable ? select(item) : open(item, !isOpen(item))),
      " ": () => (selectable ? select(item) : open(item, !isOpen(item))),
    };
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  }

  return { waits: true, show };
}

// drawing is an icon: a path in a square of 16.
function drawing(path) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  const line = document.createElementNS(svg.namespaceURI, "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}
