// Elements and their text. Text of artifacts is only ever set as text; markup comes from the kernel's escaped pages.

function el(name, options, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(options || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "class") node.className = value;
    else if (key === "text") node.textContent = value;
    else if (key === "on") for (const [event, call] of Object.entries(value)) node.addEventListener(event, call);
    else node.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) node.append(child instanceof Node ? child : String(child));
  }
  return node;
}

// `page` is markup that the kernel made of escaped text; nothing else may be passed.
function setPage(node, page) {
  node.innerHTML = page;
  return node;
}

let nextId = 0;
function freshId(stem) {
  nextId += 1;
  return `enbw-${stem}-${nextId}`;
}

function later(call, wait) {
  let timer = null;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...given), wait);
  };
}

// The look of states comes from the theme, once for each widget.
function badges(styles) {
  const look = (state) => styles[state] || [state, "?", "quiet"];
  return {
    label: (state) => look(state)[0],
    badge: (state, label) =>
      el("span", { class: `enb-badge enb-${look(state)[2]}` },
        el("span", { class: "enb-glyph", "aria-hidden": "true", text: look(state)[1] }),
        el("span", { class: "enb-full", text: label === undefined ? look(state)[0] : label })),
    mark: (state) =>
      el("span", { class: `enbw-mark enb-${look(state)[2]}`, title: look(state)[0] },
        el("span", { class: "enb-glyph", "aria-hidden": "true", text: look(state)[1] }),
        el("span", { class: "enbw-unseen", text: ` ${look(state)[0]}` })),
  };
}

function selectBox(label, options, chosen, onChange, describe) {
  const box = el("select", { class: "enbw-select", on: { change: () => onChange(box.value) } });
  for (const option of options) {
    box.append(el("option", { value: option, text: describe ? describe(option) : option }));
  }
  box.value = chosen;
  return el("label", { class: "enbw-field" }, el("span", { text: label }), box);
}

function checkBox(label, checked, onChange) {
  const box = el("input", { type: "checkbox", on: { change: () => onChange(box.checked) } });
  box.checked = checked;
  return el("label", { class: "enbw-check" }, box, el("span", { text: label }));
}

function button(label, onClick, options) {
  return el("button", { type: "button", class: "enbw-button", text: label, on: { click: onClick }, ...options });
}
