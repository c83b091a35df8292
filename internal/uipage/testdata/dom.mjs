// As much of a browser as the pages need: elements, events, and a frame whose parent is the test.
// It knows only the selectors that the pages use.

export class Element {
  constructor(tag) {
    Object.assign(this, { tagName: tag.toUpperCase(), attributes: {}, childNodes: [], listeners: {}, parentElement: null, style: styles(), state: {} });
  }

  // attributes
  setAttribute(name, value) { this.attributes[name] = String(value); }
  getAttribute(name) { return this.attributes[name] ?? null; }
  removeAttribute(name) { delete this.attributes[name]; }
  get id() { return this.attributes.id; }
  get dataset() { return { key: this.attributes["data-key"] }; }
  get hidden() { return "hidden" in this.attributes; }
  set hidden(yes) { this.toggle("hidden", yes); }
  get disabled() { return "disabled" in this.attributes; }
  set disabled(yes) { this.toggle("disabled", yes); }
  toggle(name, yes) { if (yes) this.attributes[name] = ""; else delete this.attributes[name]; }
  get checked() { return this.state.checked ?? false; }
  set checked(yes) { this.state.checked = yes; }
  get value() { return this.state.value ?? this.attributes.value ?? ""; }
  set value(value) { this.state.value = String(value); }

  // the tree
  get children() { return this.childNodes.filter((one) => one instanceof Element); }
  get firstElementChild() { return this.children[0] ?? null; }
  append(...nodes) {
    for (const node of nodes) {
      if (node instanceof Element) node.parentElement = this;
      this.childNodes.push(node instanceof Element ? node : String(node));
    }
  }
  replaceChildren(...nodes) { this.childNodes = []; this.append(...nodes); }
  remove() { this.parentElement.childNodes = this.parentElement.childNodes.filter((one) => one !== this); }
  get textContent() { return this.childNodes.map((one) => (one instanceof Element ? one.textContent : one)).join(""); }
  set textContent(text) { this.childNodes = [String(text)]; }
  closest(selector) { return this.matches(selector) ? this : this.parentElement?.closest(selector) ?? null; }
  matches(selector) {
    if (selector.startsWith(".")) return this.attributes.class?.split(" ").includes(selector.slice(1)) ?? false;
    const attribute = /^\[([a-z-]+)(?:='?([^'\]]*)'?)?\]$/.exec(selector);
    if (!attribute) return this.tagName === selector.toUpperCase();
    return attribute[2] === undefined ? attribute[1] in this.attributes : this.attributes[attribute[1]] === attribute[2];
  }
  querySelectorAll(selector) {
    const [first, ...rest] = selector.split(" ");
    const found = this.children.flatMap((one) => [...(one.matches(first) ? [one] : []), ...one.querySelectorAll(first)]);
    return rest.length === 0 ? found : found.flatMap((one) => one.querySelectorAll(rest.join(" ")));
  }
  querySelector(selector) { return this.querySelectorAll(selector)[0] ?? null; }

  // what people do
  addEventListener(name, listener) { (this.listeners[name] ??= []).push(listener); }
  dispatch(name, event = {}) {
    Object.assign(event, { target: event.target ?? this, preventDefault() {} });
    for (const listener of this.listeners[name] ?? []) listener(event);
    this.parentElement?.dispatch(name, event);
  }
  click() { if (!this.disabled) this.dispatch("click"); }
  focus() { Element.focused = this; }
  reportValidity() { return this.querySelectorAll("[required]").every((one) => one.value !== ""); }
  getBoundingClientRect() { return { height: 99.5 }; }
  get scrollWidth() { return 300; }
}

function styles() {
  return { setProperty(name, value) { this[name] = value; } };
}

// frame makes the globals of a page with these elements. posted gets what the page says to its
// parent; say is how the parent speaks.
export function frame(title, ids, posted) {
  const html = new Element("html");
  const [head, body] = [new Element("head"), new Element("body")];
  html.append(head, body);
  const byID = {};
  for (const [id, text] of Object.entries(ids)) {
    byID[id] = new Element("div");
    byID[id].textContent = text;
    body.append(byID[id]);
  }
  const heard = [];
  const parent = { postMessage: (message, origin) => posted(JSON.parse(JSON.stringify(message)), origin) };
  const window = {
    document: {
      title, head, body,
      documentElement: html,
      createElement: (tag) => new Element(tag),
      getElementById: (id) => byID[id] ?? head.children.find((one) => one.id === id) ?? null,
      get activeElement() { return Element.focused; },
    },
    parent,
    addEventListener: (_, listener) => heard.push(listener),
    ResizeObserver: class { constructor(tell) { this.observe = tell; } },
  };
  window.window = window;
  const say = (data, source = parent) => heard.forEach((listener) => listener({ source, data }));
  return { window, byID, say };
}
