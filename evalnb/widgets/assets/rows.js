// A list or a tree of many rows, of which only those in sight exist. The container keeps the keyboard's focus and
// names the active row (aria-activedescendant), so that a row may come and go.

const ROW = 30;
const SPARE = 6;

class Rows {
  // options: role ("listbox" or "tree"), label, height, cells(row) -> nodes, onChoose(row), onToggle(row, open),
  // onKey(event, row) -> true when the key is used up
  constructor(options) {
    this.options = options;
    this.rows = [];
    this.active = -1;
    this.shown = new Map();
    this.stem = freshId("row");
    this.typed = "";
    this.forget = later(() => { this.typed = ""; }, 700);
    this.space = el("div", { class: "enbw-space", role: "presentation" });
    this.node = el("div", {
      class: "enbw-rows", role: options.role, "aria-label": options.label, tabindex: "0",
      style: options.height ? `height:${options.height}px` : null,
      on: {
        scroll: () => this.draw(),
        keydown: (event) => this.pressed(event),
        click: (event) => this.clicked(event),
      },
    }, this.space);
    this.empty = el("p", { class: "enbw-empty enb-quiet", text: options.empty || "nothing to show" });
    new ResizeObserver(() => this.draw()).observe(this.node);
  }

  // rows: [{key, text, level, open (undefined for a leaf), dim}]
  set(rows, key) {
    this.rows = rows;
    this.active = rows.findIndex((row) => row.key === key);
    this.space.replaceChildren();
    this.shown.clear();
    this.space.style.height = `${Math.max(rows.length * ROW, 1)}px`;
    if (rows.length === 0) this.space.append(this.empty);
    if (this.active >= 0) this.reveal();
    this.draw();
  }

  // Draw the rows again whose content changed, keeping place and scroll.
  redraw() {
    for (const node of this.shown.values()) node.remove();
    this.shown.clear();
    this.draw();
  }

  current() {
    return this.rows[this.active];
  }

  choose(place, quiet) {
    if (place < 0 || place >= this.rows.length) return;
    const before = this.active;
    this.active = place;
    this.reveal();
    this.shown.get(before)?.setAttribute("aria-selected", "false");
    this.draw();
    if (!quiet) this.options.onChoose?.(this.rows[place]);
  }

  reveal() {
    const top = this.active * ROW;
    const height = this.node.clientHeight || this.options.height || 200;
    if (top < this.node.scrollTop) this.node.scrollTop = top;
    else if (top + ROW > this.node.scrollTop + height) this.node.scrollTop = top + ROW - height;
  }

  draw() {
    const height = this.node.clientHeight || this.options.height || 200;
    const first = Math.max(0, Math.floor(this.node.scrollTop / ROW) - SPARE);
    const last = Math.min(this.rows.length, Math.ceil((this.node.scrollTop + height) / ROW) + SPARE);
    const wanted = (place) => (place >= first && place < last) || place === this.active;
    for (const [place, node] of this.shown) {
      if (!wanted(place)) {
        node.remove();
        this.shown.delete(place);
      }
    }
    for (let place = first; place < last; place += 1) this.show(place);
    if (this.active >= 0 && this.active < this.rows.length) this.show(this.active);
    this.shown.get(this.active)?.setAttribute("aria-selected", "true");
    if (this.active >= 0) this.node.setAttribute("aria-activedescendant", `${this.stem}-${this.active}`);
    else this.node.removeAttribute("aria-activedescendant");
  }

  show(place) {
    if (this.shown.has(place)) return;
    const row = this.rows[place];
    const isTree = this.options.role === "tree";
    const level = row.level || 0;
    const node = el("div", {
      id: `${this.stem}-${place}`, class: `enbw-row${row.dim ? " enbw-dim" : ""}`,
      role: isTree ? "treeitem" : "option", "data-place": place, "aria-selected": String(place === this.active),
      "aria-setsize": row.setsize ?? this.rows.length, "aria-posinset": row.posinset ?? place + 1,
      "aria-level": isTree ? level + 1 : null,
      "aria-expanded": row.open === undefined ? null : String(row.open),
      style: `top:${place * ROW}px;padding-left:${8 + level * 16}px`,
    });
    if (isTree) {
      node.append(el("span", {
        class: "enbw-twisty", "aria-hidden": "true", text: row.open === undefined ? "" : row.open ? "▾" : "▸",
      }));
    }
    node.append(...this.options.cells(row));
    this.space.append(node);
    this.shown.set(place, node);
  }

  clicked(event) {
    const node = event.target.closest(".enbw-row");
    if (!node || event.target.closest("input,button,a")) return;
    const place = Number(node.dataset.place);
    const twisted = event.target.classList.contains("enbw-twisty");
    if (!twisted || this.active !== place) this.choose(place);
    if (twisted) this.toggle(place);
    this.node.focus({ preventScroll: true });
  }

  toggle(place, open) {
    const row = this.rows[place];
    if (row?.open === undefined) return;
    const wanted = open === undefined ? !row.open : open;
    if (wanted !== row.open) this.options.onToggle?.(row, wanted);
  }

  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = this.current();
    if (this.options.onKey?.(event, row) || this.moved(event.key, row) || this.sought(event)) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  moved(key, row) {
    const page = Math.max(1, Math.floor((this.node.clientHeight || 200) / ROW) - 1);
    const last = this.rows.length - 1;
    const to = {
      ArrowDown: Math.min(last, this.active + 1), ArrowUp: Math.max(0, this.active - 1), Home: 0, End: last,
      PageDown: Math.min(last, this.active + page), PageUp: Math.max(0, this.active - page),
    }[key];
    if (to !== undefined) {
      if (to !== this.active) this.choose(to);
      return true;
    }
    if (this.options.role !== "tree" || !row) return false;
    if (key === "ArrowRight") {
      if (row.open === false) this.toggle(this.active, true);
      else if (row.open) this.choose(Math.min(last, this.active + 1));
      return true;
    }
    if (key === "ArrowLeft") {
      if (row.open) this.toggle(this.active, false);
      else this.choose(this.parent());
      return true;
    }
    if (key === "Enter" || key === " ") {
      this.toggle(this.active);
      return true;
    }
    return false;
  }

  parent() {
    const level = this.rows[this.active].level || 0;
    for (let place = this.active - 1; place >= 0; place -= 1) {
      if ((this.rows[place].level || 0) < level) return place;
    }
    return this.active;
  }

  // Typing the beginning of a row's text moves to the next row that begins so.
  sought(event) {
    if (event.key.length !== 1 || (event.key === " " && !this.typed)) return false;
    this.typed += event.key.toLowerCase();
    this.forget();
    const from = this.typed.length > 1 ? this.active : this.active + 1;
    for (let step = 0; step < this.rows.length; step += 1) {
      const place = (Math.max(0, from) + step) % this.rows.length;
      if (this.rows[place].text.toLowerCase().startsWith(this.typed)) {
        this.choose(place);
        break;
      }
    }
    return true;
  }
}
