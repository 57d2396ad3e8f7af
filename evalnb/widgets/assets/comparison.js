// Corpora side by side: what is picked above decides the table, the matrix and the chart; a cell opens what is behind it.

// A table whose cells are buttons: one of them can be reached by Tab, arrows walk to the others.
function cellTable(label, corner, heads, lines) {
  const table = el("table", { class: "enb-table enb-small enbw-cells", "aria-label": label },
    el("thead", {}, el("tr", {}, [corner, ...heads].map((text) => el("th", { scope: "col", text })))),
    el("tbody", {}, lines.map(([name, cells]) => el("tr", {}, el("th", { scope: "row", text: name }),
      cells.map((cell) => el("td", {}, cell))))));
  const buttons = () => [...table.querySelectorAll("button")];
  buttons().forEach((one, place) => { one.tabIndex = place === 0 ? 0 : -1; });
  table.addEventListener("keydown", (event) => {
    const move = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    const cell = event.target.closest("td");
    if (!move || !cell) return;
    event.preventDefault();
    let [row, column] = [cell.parentNode.rowIndex, cell.cellIndex];
    do {
      row += move[0];
      column += move[1];
      const next = table.rows[row]?.cells[column]?.querySelector("button");
      if (next) {
        for (const one of buttons()) one.tabIndex = one === next ? 0 : -1;
        next.focus();
        return;
      }
    } while (table.rows[row]?.cells[column]);
  });
  return table;
}

// A rate as a bar with its interval; the text says the same.
function rateCell([caught, exercised, rate, low, high], onOpen) {
  const percent = (share) => `${(share * 100).toFixed(1)}%`;
  const whole = (share) => `${Math.round(share * 100)}%`;
  if (rate === null) return el("span", { class: "enb-quiet", text: "not exercised" });
  const bar = el("span", { class: "enb-bar", "aria-hidden": "true" }, el("span", { class: "enb-bar-fill", style: `width:${percent(rate)}` }),
    low === null ? null : el("span", { class: "enb-bar-interval", style: `left:${percent(low)};width:${percent(high - low)}` }));
  return el("button", { type: "button", class: "enbw-cell", on: { click: onOpen } }, bar,
    el("strong", { text: `${caught} of ${exercised}` }),
    el("span", { class: "enb-quiet", text: low === null ? whole(rate) : `${whole(rate)} (${whole(low)}–${whole(high)})` }));
}

function isDark(node) {
  const [, red, green, blue] = getComputedStyle(node).backgroundColor.match(/(\d+)\D+(\d+)\D+(\d+)/) || [0, 255, 255, 255];
  return Number(red) + Number(green) + Number(blue) < 384;
}

function renderComparison(model, root, look) {
  const channel = talk(model);
  const place = placeOf(model);
  const outline = model.get("outline");
  const everyone = outline.names.map((_, at) => at);
  const chosen = { ...outline.chosen, corpora: everyone, ...place.get("chosen", {}) };
  let opened = place.get("opened", null);
  const numbers = el("div", { class: "enbw-numbers" });
  const picture = el("img", { class: "enbw-picture", alt: "" });
  const pane = answerPane(channel, "what is behind it");
  const told = el("span", { role: "status" });
  let turn = 0;

  const open = (question, given, from) => {
    opened = { question, given };
    place.set({ opened });
    for (const one of numbers.querySelectorAll("[aria-pressed]")) one.removeAttribute("aria-pressed");
    from?.setAttribute("aria-pressed", "true");
    pane.show(question, { ...chosen, ...given });
  };
  const opener = (question, given) => (event) => open(question, given, event.currentTarget);

  function paint(answer) {
    told.textContent = answer.state === "refused" ? "cannot be compared" : `${chosen.corpora.length} corpora compared`;
    if (answer.state === "refused") {
      numbers.replaceChildren(el("p", { class: "enbw-failure", text: "These corpora cannot be compared; the reasons are beside this." }));
      return;
    }
    const relation = Object.fromEntries(answer.relations.map(([a, b, how]) => [`${a} ${b}`, how]));
    const among = answer.strength.map(([at]) => at);
    const strength = cellTable("strength by corpus and class", "corpus", answer.classes, answer.strength.map(([at, cells]) => (
      [outline.names[at], cells.map((cell, one) => rateCell(cell, opener("cell", { corpus: at, cell: answer.classes[one] })))])));
    const dominance = cellTable("dominance, row over column", "row over column", among.map((at) => outline.names[at]), among.map((a) => (
      [outline.names[a], among.map((b) => (a === b ? el("span", { class: "enb-quiet", text: "–" })
        : el("button", { type: "button", class: "enbw-cell", on: { click: opener("pair", { a, b }) } }, look.badge(relation[`${a} ${b}`] || "incomparable"))))])));
    const scroll = (label, table) => el("div", { class: "enb-scroll" }, table);
    numbers.replaceChildren(
      el("div", { class: "enbw-listhead" }, el("span", { text: "Catch rates" }), el("span", { class: "enb-quiet", text: `interval at ${chosen.confidence}` })),
      scroll("catch rates", strength),
      el("div", { class: "enbw-listhead" }, el("span", { text: "Dominance" }), el("span", { class: "enb-quiet", text: `misses weigh from ${chosen.floor} on` })),
      scroll("dominance", dominance));
  }

  function compare(keep) {
    turn += 1;
    const mine = turn;
    place.set({ chosen });
    numbers.setAttribute("aria-busy", "true");
    channel.ask("compare", chosen).then((answer) => {
      if (mine !== turn) return;
      numbers.removeAttribute("aria-busy");
      if (answer.failure !== undefined) {
        numbers.replaceChildren(el("p", { class: "enbw-failure", text: answer.failure }));
        pane.clear("");
        picture.hidden = true;
        return;
      }
      paint(answer);
      const isShown = (at) => answer.strength.some(([one]) => one === at);
      const still = keep && opened && answer.state === "compared"
        && [opened.given.corpus ?? opened.given.a, opened.given.corpus ?? opened.given.b].every(isShown);
      if (still) pane.show(opened.question, { ...chosen, ...opened.given });
      else setPage(pane.node, answer.html);
      picture.hidden = answer.state === "refused";
      if (!picture.hidden) draw(mine);
    });
  }

  function draw(mine) {
    channel.ask("chart", { ...chosen, dark: isDark(root) }).then((answer) => {
      if (mine !== turn || answer.svg === undefined) return;
      // As a picture the chart can neither run nor fetch anything.
      picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(answer.svg)}`;
      picture.alt = answer.description;
    });
  }

  const pick = (changes) => {
    Object.assign(chosen, changes);
    compare(true);
  };
  const corpora = el("div", { class: "enbw-terms", role: "group", "aria-label": "corpora" }, outline.names.map((name, at) => (
    checkBox(`${name} (${outline.sizes[at]})`, chosen.corpora.includes(at), (on) => pick({
      corpora: everyone.filter((one) => (one === at ? on : chosen.corpora.includes(one))) })))));
  root.append(
    heading("Corpora side by side", "Comparison", told),
    toolbar("what to compare", corpora,
      selectBox("Class", outline.classes, chosen.class, (value) => pick({ class: value })),
      selectBox("Severity floor", outline.floors, chosen.floor, (value) => pick({ floor: value }), look.label),
      selectBox("Confidence", outline.confidences.map(String), String(chosen.confidence), (value) => pick({ confidence: Number(value) })),
      checkBox("Only shared probes", chosen.shared, (shared) => pick({ shared })),
      button("What only one catches", () => { opened = null; place.set({ opened }); compare(false); })),
    el("div", { class: "enbw-split enbw-even" }, el("div", { class: "enbw-side" }, numbers, picture), pane.node));
  compare(true);
  return () => channel.stop();
}
