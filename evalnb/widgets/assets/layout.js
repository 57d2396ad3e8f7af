// The frame that all widgets share: a heading with facts, a toolbar, a column to choose from, and the pane beside it.

function heading(title, kind, ...facts) {
  return el("div", { class: "enbw-head" },
    el("span", { class: "enb-kind", text: kind }),
    el("strong", { class: "enb-title", text: title }),
    el("span", { class: "enbw-facts" }, ...facts));
}

function toolbar(label, ...parts) {
  return el("div", { class: "enbw-tools", role: "group", "aria-label": label }, ...parts);
}

function split(side, main) {
  return el("div", { class: "enbw-split" }, el("div", { class: "enbw-side" }, ...side), main);
}

function titled(text, count, node) {
  const number = el("span", { class: "enb-quiet", text: count });
  const line = el("div", { class: "enbw-listhead" }, el("span", { text }), number);
  return { node: el("div", { class: "enbw-listed" }, line, node), count: (told) => { number.textContent = told; } };
}

// Notebook front ends act on bare keys ("d d" deletes a cell); what is typed in a widget is the widget's.
function ownKeys(root) {
  root.setAttribute("data-lm-suppress-shortcuts", "true");
  root.addEventListener("keydown", (event) => event.stopPropagation());
}

function searchField(label, value, onChange) {
  const box = el("input", { type: "search", class: "enbw-search", placeholder: label, "aria-label": label, spellcheck: "false" });
  box.value = value;
  box.addEventListener("input", later(() => onChange(box.value), 80));
  return box;
}
