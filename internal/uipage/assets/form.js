// The form: fields, and a tool that is called with what was filled in.
function view({ root, config, use, reply, say, complain }) {
  let tool = config.submitTool;
  let fields = [];
  let given = {}; // what the tool that opened the page was called with, and what it answered
  let sending = false;
  const touched = new Set(); // the names of the fields that the user has changed
  const form = element("form", { novalidate: true });
  root.append(form);

  function build(described) {
    fields = described.map(fieldOf);
    // A frame that may not submit forms fires no submit event, so the button does it.
    const submit = element("button", { type: "button", class: "primary", click: send }, config.submitLabel || "Submit");
    const cancel = config.cancelable ? element("button", { type: "button", click: reset }, "Cancel") : "";
    form.replaceChildren(...fields.map((field) => field.row), element("div", { class: "buttons" }, submit, cancel));
    for (const field of fields) field.row.addEventListener("input", () => touched.add(field.name));
    fill();
  }

  // fill puts in what is known, but nothing over what the user has typed.
  function fill() {
    for (const field of fields) {
      if (!touched.has(field.name)) field.set(Object.hasOwn(given, field.name) ? given[field.name] : field.usual);
    }
  }

  function reset() {
    touched.clear();
    fill();
    reply("");
    say("Nothing was sent.");
  }

  // send does not disable the buttons, which would lose the focus.
  async function send() {
    if (sending || !form.reportValidity()) return;
    if (!tool) return complain("The client did not report the tool to call; name it as submitTool in the config of this page.");
    const values = { ...config.submitArgs };
    for (const field of fields) {
      const value = field.get();
      if (value !== undefined) values[field.name] = value;
    }
    const busy = (yes) => {
      sending = yes;
      form.setAttribute("aria-busy", String(yes));
      for (const button of form.querySelectorAll("button")) button.setAttribute("aria-disabled", String(yes));
    };
    busy(true);
    const secrets = fields.filter((field) => field.secret).map((field) => field.name);
    const shared = Object.fromEntries(Object.entries(values).filter(([name]) => !secrets.includes(name)));
    const result = await use(tool, values, shared);
    busy(false);
    if (!result) return;
    reply(readable(result));
    if (readable(result).trim() === "") say("Done.");
  }

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.target.tagName !== "INPUT" || event.isComposing) return;
    event.preventDefault();
    if (!event.repeat) send();
  });
  if (config.fields) build(config.fields);

  return {
    // The text of the tool that opens a form is for the model; what it knows of the fields is for us.
    show(data) {
      if (isObject(data)) given = { ...given, ...data };
      fill();
    },
    input(values) {
      given = { ...values, ...given };
      fill();
    },
    // Without fields of its own, the form asks for what the tool that opened it takes.
    know({ toolInfo }) {
      if (!config.submitTool) tool = toolInfo?.tool?.name;
      if (config.fields || fields.length > 0) return;
      if (toolInfo?.tool) build(fieldsOf(toolInfo.tool.inputSchema || {}));
      else form.replaceChildren(element("p", { class: "problem", role: "alert" }, "The client did not report the fields of the tool; list them as fields in the config of this page."));
    },
  };
}

// fieldsOf describes the fields for the properties of an input schema that are no objects or arrays.
function fieldsOf({ properties = {}, required = [] }) {
  const formats = { email: "email", uri: "url", date: "date", time: "time" };
  return Object.entries(properties).flatMap(([name, property]) => {
    const { type, title, description, format, minimum, maximum } = property;
    if (type === "object" || type === "array") return [];
    const kinds = { boolean: "checkbox", number: "number", integer: "number" };
    return [{
      name, description, label: title, default: property.default, min: minimum, max: maximum,
      required: required.includes(name) && type !== "boolean",
      type: property.enum ? "select" : kinds[type] || formats[format] || "text",
      step: type === "integer" ? 1 : undefined,
      options: property.enum,
    }];
  });
}

// fieldOf makes the row of a field, and how its value is got and set.
function fieldOf(described, index) {
  const { name, type = "text", label = name, description, required = false, placeholder } = described;
  const id = `field-${index}`;
  const hint = description ? element("small", { id: `${id}-hint` }, description) : "";
  const shared = { id, name, required, "aria-describedby": description ? `${id}-hint` : undefined };
  const field = { name, usual: described.default, secret: type === "password" };
  const title = [label, required ? element("span", { class: "required", "aria-hidden": "true" }, " *") : ""];

  if (type === "checkbox") {
    const box = element("input", { ...shared, type });
    field.get = () => box.checked;
    field.set = (value) => (box.checked = value === true || value === "true");
    field.row = element("div", { class: "field check" }, box, element("label", { for: id }, ...title), hint);
    return field;
  }
  let control;
  if (type === "select") {
    const options = described.options.map((one) => named(one, "value"));
    const raw = described.options.map((one) => (isObject(one) ? one.value : one));
    control = element("select", shared, element("option", { value: "" }, placeholder || "Choose …"),
      ...options.map((one, i) => element("option", { value: String(i) }, one.label ?? shown(one.value))));
    field.get = () => (control.value === "" ? undefined : raw[Number(control.value)]);
    field.set = (value) => {
      const i = raw.findIndex((one) => shown(one) === shown(value));
      control.value = value === undefined || i < 0 ? "" : String(i);
    };
  } else {
    const isNumber = type === "number";
    const bounds = isNumber ? { min: described.min, max: described.max, step: described.step ?? "any" } : {};
    control = type === "textarea"
      ? element("textarea", { ...shared, placeholder, rows: "4" })
      : element("input", { ...shared, ...bounds, type, placeholder });
    field.get = () => (control.value === "" ? undefined : isNumber ? Number(control.value) : control.value);
    field.set = (value) => (control.value = shown(value));
  }
  field.row = element("div", { class: "field" }, element("label", { for: id }, ...title), control, hint);
  return field;
}
