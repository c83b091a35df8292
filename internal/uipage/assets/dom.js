// element makes one, with attributes, listeners where a value is a function, and children. What it
// is given to show is text, never HTML.
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

// isObject tells an object from an array and from null.
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// shown is a JSON value as people read it.
function shown(value) {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

// listIn finds the array in data: data itself, the member of that name, or else the first one that
// is an array.
function listIn(data, name) {
  if (Array.isArray(data)) return data;
  if (!isObject(data)) return undefined;
  if (Array.isArray(data[name])) return data[name];
  return Object.values(data).find(Array.isArray);
}

// named reads what may be written as a word or as an object.
function named(value, key) {
  return isObject(value) ? value : { [key]: shown(value) };
}
