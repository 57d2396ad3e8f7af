// A contract as a tree: behaviors, their oracles, the operations those read, the steps that call them.

const CONTRACT_KINDS = { behavior: "B", oracle: "O", operation: "op", step: "st", rule: "§", group: "" };

// Nodes come flat: [kind, id, text, state, place of the parent or -1], parents first.
function contractTree(nodes) {
  const tree = nodes.map(([kind, id, text, state, parent], place) => (
    { kind, id, text, state, parent, place, children: [], key: "" }));
  for (const node of tree) {
    const above = tree[node.parent];
    node.key = `${above ? above.key : ""}/${node.kind}:${node.id}`;
    node.level = above ? above.level + 1 : 0;
    above?.children.push(node);
  }
  return tree;
}

function contractMatches(tree, { words, severity, unsaid }) {
  const wanted = words.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const kept = new Set();
  const fits = (node) => {
    if (severity !== "any" && !(node.kind === "behavior" && node.state === severity)) return false;
    if (unsaid && node.state !== "gap") return false;
    const text = `${node.id} ${node.text}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  };
  const keep = (node, whole) => {
    if (whole) {
      kept.add(node);
      for (const child of node.children) keep(child, true);
    }
    for (let above = node; above && !kept.has(above); above = tree[above.parent]) kept.add(above);
  };
  for (const node of tree) {
    if (kept.has(node) && !wanted.length) continue;
    if (severity === "any" && !unsaid && !wanted.length) return null;
    if (node.kind !== "group" && fits(node)) keep(node, severity !== "any" || unsaid);
  }
  return kept;
}

function renderContract(model, root, look) {
  const channel = talk(model);
  const place = placeOf(model);
  const outline = model.get("outline");
  const tree = contractTree(outline.nodes);
  const open = new Set(place.get("open", tree.filter((n) => n.level === 0 && n.kind === "group").slice(0, 1).map((n) => n.key)));
  const filter = { words: place.get("words", ""), severity: place.get("severity", "any"), unsaid: place.get("unsaid", false) };
  const pane = answerPane(channel, "details");

  const rows = new Rows({
    role: "tree", label: "contract", height: 420, empty: "nothing fits the filter",
    cells: (row) => [
      el("span", { class: "enbw-kindmark", "aria-hidden": "true", text: CONTRACT_KINDS[row.node.kind] }),
      el("span", { class: row.node.kind === "group" ? "enbw-group" : "enbw-id", text: row.node.id }),
      row.node.state ? look.mark(row.node.state) : null,
      el("span", { class: "enbw-text", text: row.node.text }),
    ].filter(Boolean),
    onChoose: (row) => {
      place.set({ chosen: row.key });
      pane.soon("node", { kind: row.node.kind, id: row.node.id });
    },
    onToggle: (row, wanted) => {
      if (wanted) open.add(row.key);
      else open.delete(row.key);
      place.set({ open: [...open] });
      paint();
    },
  });

  function paint() {
    const kept = contractMatches(tree, filter);
    const seen = [];
    const walk = (siblings) => {
      const shown = kept ? siblings.filter((node) => kept.has(node)) : siblings;
      shown.forEach((node, at) => {
        const children = kept ? node.children.filter((child) => kept.has(child)) : node.children;
        const isOpen = open.has(node.key) || (kept !== null && filter.words.trim() !== "" && node.level < 2);
        seen.push({ key: node.key, node, text: node.id, level: node.level, setsize: shown.length, posinset: at + 1,
          open: children.length ? isOpen : undefined });
        if (children.length && isOpen) walk(children);
      });
    };
    walk(tree.filter((node) => node.parent < 0));
    rows.set(seen, place.get("chosen", seen[0]?.key));
  }

  const narrow = (changes) => {
    Object.assign(filter, changes);
    place.set(filter);
    paint();
  };
  root.append(
    heading(outline.title, "Contract", ...outline.facts.map((fact) => el("span", { text: fact }))),
    toolbar("filter",
      searchField("Search", filter.words, (words) => narrow({ words })),
      selectBox("Severity", ["any", "critical", "material", "low"], filter.severity, (severity) => narrow({ severity })),
      checkBox("Only gaps", filter.unsaid, (unsaid) => narrow({ unsaid }))),
    split([rows.node], pane.node));
  paint();
  if (rows.current()) pane.show("node", { kind: rows.current().node.kind, id: rows.current().node.id });
  else if (rows.rows.length) rows.choose(0);
  return () => channel.stop();
}
