// The form: fields, and a tool that is called with what was filled in.
function view({ root, config, call, say, complain, tellModel }) {
  let tool = config.submitTool;
  let fields = [];
  let given = {}; // what the tool that opened the page was called with
  const form = element("form", { novalidate: true });
  const answer = element("output", { class: "answer", hidden: true });
  root.append(form, answer);

  function build(described) {
    fields = described.map(fieldOf);
    const buttons = element("div", { class: "buttons" });
    // A frame that may not submit forms fires no submit event, so the button does it.
    const submit = element("button", { type: "button", class: "primary", click: send }, config.submitLabel || "Submit");
    buttons.append(submit);
    if (config.cancelable) buttons.append(element("button", { type: "button", click: cancel }, "Cancel"));
    form.replaceChildren(...fields.map((field) => field.row), buttons);
    fill();
  }

  function fill() {
    for (const field of fields) field.set(Object.hasOwn(given, field.name) ? given[field.name] : field.usual);
  }

  function cancel() {
    fill();
    answer.hidden = true;
    say("Cancelled.");
  }

  async function send() {
    if (!form.reportValidity()) return;
    if (!tool) return complain("The client did not say which tool to call; name it as submitTool.");
    const values = { ...config.submitArgs };
    for (const field of fields) {
      const value = field.get();
      if (value !== undefined) values[field.name] = value;
    }
    const buttons = [...form.querySelectorAll("button")];
    for (const button of buttons) button.disabled = true;
    try {
      const result = await call(tool, values);
      show(undefined, result);
      say("Done.");
      tellModel(result);
    } catch (error) {
      complain(error.message);
    } finally {
      for (const button of buttons) button.disabled = false;
    }
  }

  function show(data, result) {
    const text = result.content ? textOf(result) : shown(data);
    answer.textContent = text || shown(result.structuredContent);
    answer.hidden = answer.textContent === "";
  }

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.target.tagName !== "INPUT") return;
    event.preventDefault();
    send();
  });
  build(config.fields || []);
  return {
    show,
    input(values) {
      given = values;
      fill();
    },
    // Without fields of its own, the form asks for what the tool that opened it takes.
    know({ toolInfo }) {
      if (!config.submitTool) tool = toolInfo?.tool?.name;
      if (config.fields || fields.length > 0) return;
      if (toolInfo?.tool) build(fieldsOf(toolInfo.tool.inputSchema || {}));
      else complain("The client did not say which fields there are; name them as fields.");
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
  const field = { name, usual: described.default };
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
