// Elements, buttons and coded numbers, for the scripts of all pages.

const page = JSON.parse(document.getElementById("data").textContent);

function decoded(codes, n, [low, step]) {
  const values = new Float64Array(n);
  const bytes = typeof codes === "string" ? atob(codes) : null;
  for (let i = 0; i < n; i++) {
    const code = bytes === null ? codes : bytes.charCodeAt(2 * i) | (bytes.charCodeAt(2 * i + 1) << 8);
    values[i] = code === 65535 ? NaN : code === 65534 ? Infinity : code === 65533 ? -Infinity : low + code * step;
  }
  return values;
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

function button(label, text, act) {
  const made = element("button", { type: "button", "aria-label": label, title: label }, text);
  made.addEventListener("click", act);
  return made;
}
