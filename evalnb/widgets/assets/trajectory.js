// Recorded runs: choose a run, walk its events, and read one of them beside the list. With choices, label the runs.

const TRAJECTORY_TONES = { safety: "bad", resolution: "warn", quality: "quiet", note: "quiet" };

// All events of a run on one line, a lane a kind; a picture for the mouse, what it says is in the list below.
function eventStrip(lanes, onChoose) {
  const node = el("div", { class: "enbw-strip", "aria-hidden": "true", style: `height:${lanes.length * 12 + 6}px`, on: {
    click: (event) => {
      const place = event.target.dataset?.place;
      if (place !== undefined) onChoose(Number(place));
    },
  } });
  return {
    node,
    set(events) {
      const last = Math.max(events.length - 1, 1);
      node.replaceChildren(...events.map((one, place) => el("span", {
        "data-place": place, title: `event ${one.n}, ${one.who} ${one.tool}`,
        class: one.bears ? `enbw-tick enb-${TRAJECTORY_TONES[one.bears]} enbw-hit` : "enbw-tick",
        style: `left:${((place / last) * 98.5).toFixed(3)}%;top:${3 + one.lane * 12}px`,
      })));
    },
    mark(place) {
      node.querySelector(".enbw-here")?.classList.remove("enbw-here");
      node.children[place]?.classList.add("enbw-here");
    },
  };
}

function labelBar(outline, labels, onSay) {
  const state = el("span", { role: "status", class: "enb-quiet" });
  const buttons = el("div", { class: "enbw-trials", role: "radiogroup", "aria-label": "label of the run" });
  const note = el("textarea", { class: "enbw-wide", rows: "2", "aria-label": "note", placeholder: "why (kept with the label)" });
  const keep = later(() => { if (labels[note.dataset.run]) onSay(note.dataset.run, labels[note.dataset.run][0], note.value); }, 400);
  note.addEventListener("input", keep);
  const paint = (id) => {
    const [label, text] = labels[id] || [null, ""];
    if (note.dataset.run !== id) {
      note.dataset.run = id;
      note.value = text;
    }
    buttons.replaceChildren(...outline.choices.map((choice, place) => el("button", {
      type: "button", class: "enbw-button", role: "radio", "aria-checked": String(choice === label),
      on: { click: () => onSay(id, choice === label ? null : choice, note.value) },
    }, el("kbd", { text: String(place + 1) }), ` ${choice}`)));
    const done = outline.runs.filter((run) => labels[run.id]).length;
    state.textContent = `${done} of ${outline.runs.length} labelled`;
  };
  return { node: el("div", { class: "enbw-labelbar" }, buttons, note), state, paint, text: () => note.value };
}

function renderTrajectory(model, root, look) {
  const outline = model.get("outline");
  const channel = talk(model);
  const place = placeOf(model);
  const labelling = outline.choices !== null;
  const labels = { ...outline.labels };
  const filter = { words: "", layer: "any", open: false, ...place.get("filter", {}) };
  const at = { run: place.get("run", outline.runs[0]?.id ?? ""), event: place.get("event", 0) };
  const known = new Map();
  let events = [];
  let turn = 0;
  const pane = answerPane(channel, "event");
  const runPlace = () => outline.runs.findIndex((run) => run.id === at.run);

  const strip = eventStrip(outline.lanes, (one) => {
    if (!list.rows.some((row) => row.place === one)) narrow({ words: "", layer: "any" });
    list.choose(list.rows.findIndex((row) => row.place === one));
  });
  const runs = new Rows({
    role: "listbox", label: "runs", height: labelling ? 170 : 190, empty: "no run fits the filter", onKey: keys,
    cells: (row) => {
      const run = outline.runs[row.place];
      const label = labels[run.id];
      return [labelling ? el("span", { class: "enbw-box", text: label ? "☑" : "☐", "aria-hidden": "true" }) : look.mark(run.states[0]),
        el("span", { class: "enbw-id", text: run.id, title: run.id }),
        el("span", { class: "enbw-text", text: run.case }),
        el("span", { class: "enbw-end" }, labelling ? (label ? label[0] : "") : [
          run.hard ? el("span", { text: `${run.hard} block` }) : null,
          run.states[1] ? look.mark(run.states[1]) : null])];
    },
    onChoose: (row) => {
      at.run = row.key;
      at.event = 0;
      soonOpen();
    },
  });
  const list = new Rows({
    role: "listbox", label: "events", height: 330, empty: "no event fits the filter", onKey: keys,
    cells: (row) => {
      const one = events[row.place];
      return [el("span", { class: "enbw-number", text: String(one.n) }),
        one.bears ? look.mark(one.bears) : el("span", { class: "enbw-nomark" }),
        el("span", { class: "enbw-id", text: one.tool ? `${one.who} ${one.tool}` : one.who }),
        el("span", { class: "enbw-text", text: one.text }),
        el("span", { class: "enbw-end" }, one.status ? look.badge(one.status) : null, one.at === null ? "" : `${one.at} s`)];
    },
    onChoose: (row) => {
      at.event = row.key;
      read(true);
    },
  });

  // n and p walk the findings; where runs are labelled, a digit labels the run.
  function keys(event) {
    const digit = labelling ? Number(event.key) : 0;
    if (digit >= 1 && digit <= outline.choices?.length) {
      const choice = outline.choices[digit - 1];
      say(at.run, labels[at.run]?.[0] === choice ? null : choice, bar.text());
      return true;
    }
    if (!labelling && (event.key === "n" || event.key === "p")) {
      walk(event.key === "n" ? 1 : -1);
      return true;
    }
    return false;
  }

  function walk(step) {
    const from = list.active;
    for (let one = from + step; one >= 0 && one < list.rows.length; one += step) {
      if (events[list.rows[one].place].bears) {
        list.choose(one);
        return;
      }
    }
  }

  function say(run, label, note) {
    const one = outline.runs.findIndex((each) => each.id === run);
    channel.ask("label", { run: one, label, note }).then((answer) => {
      if (answer.failure !== undefined) {
        bar.state.textContent = answer.failure;
        return;
      }
      for (const key of Object.keys(labels)) delete labels[key];
      Object.assign(labels, answer.labels);
      runs.redraw();
      bar.paint(at.run);
    });
  }

  function read(soon) {
    place.set({ run: at.run, event: at.event });
    strip.mark(events.findIndex((one) => one.n === at.event));
    if (!at.event) pane.clear("Choose an event.");
    else (soon ? pane.soon : pane.show)("event", { run: runPlace(), number: at.event });
  }

  function paintEvents() {
    const wanted = filter.words.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const rows = [];
    events.forEach((one, spot) => {
      if (filter.layer === "findings" && !one.bears) return;
      if (!["any", "findings"].includes(filter.layer) && !one.layers.includes(filter.layer)) return;
      const text = `${one.n} ${one.who} ${one.tool} ${one.text}`.toLowerCase();
      if (wanted.every((word) => text.includes(word))) rows.push({ key: one.n, place: spot, text: one.tool || one.who });
    });
    if (!rows.some((row) => row.key === at.event)) {
      at.event = (rows.find((row) => TRAJECTORY_TONES[events[row.place].bears] === "bad") ?? rows[0])?.key ?? 0;
    }
    list.set(rows, at.event);
    eventHead.count(`${rows.length} of ${events.length}`);
    read(true);
  }

  function open() {
    turn += 1;
    const mine = turn;
    bar?.paint(at.run);
    const show = (found) => {
      events = found;
      strip.set(events);
      paintEvents();
    };
    if (known.has(at.run)) {
      show(known.get(at.run));
      return;
    }
    if (runPlace() < 0) {
      show([]);
      return;
    }
    const run = at.run;
    channel.ask("run", { run: runPlace() }).then((answer) => {
      if (mine !== turn) return;
      if (answer.failure !== undefined) {
        pane.clear(answer.failure);
        return;
      }
      known.set(run, answer.events);
      show(answer.events);
    });
  }
  const soonOpen = later(open, 40);

  function paint() {
    const fits = (run) => (filter.layer === "any" || (filter.layer === "findings" ? run.found > 0 : run.layers.includes(filter.layer)))
      && !(filter.open && labels[run.id]);
    const rows = outline.runs.map((run, one) => ({ key: run.id, place: one, text: run.id })).filter((row) => fits(outline.runs[row.place]));
    if (!rows.some((row) => row.key === at.run) && rows.length) {
      at.run = rows[0].key;
      at.event = 0;
    }
    runs.set(rows, at.run);
    runHead.count(`${rows.length} of ${outline.runs.length}`);
    open();
  }

  function narrow(changes) {
    Object.assign(filter, changes);
    place.set({ filter: { ...filter } });
    if ("layer" in changes || "open" in changes) paint();
    else paintEvents();
  }

  const runHead = titled("Runs", "", runs.node);
  const eventHead = titled("Events", "", list.node);
  const bar = labelling ? labelBar(outline, labels, say) : null;
  const layers = ["any", "findings", ...outline.layers];
  root.append(
    heading(outline.title, labelling ? "Runs to label" : "Recorded runs", bar?.state ?? null, outline.gate ? look.badge(outline.gate) : null),
    toolbar("filter events",
      searchField("Search events", filter.words, (words) => narrow({ words })),
      labelling ? checkBox("Only unlabelled runs", filter.open, (on) => narrow({ open: on }))
        : selectBox("Layer", layers, filter.layer, (layer) => narrow({ layer }), (layer) => (layer === "findings" ? "any with findings" : layer)),
      labelling ? null : button("Previous finding", () => walk(-1)),
      labelling ? null : button("Next finding", () => walk(1)),
      el("span", { class: "enb-quiet enbw-right" }, ...(labelling ? [el("kbd", { text: "1" }), "–", el("kbd", { text: String(outline.choices.length) }), " label the run"]
        : [el("kbd", { text: "n" }), " ", el("kbd", { text: "p" }), " next and previous finding"]))),
    bar?.node ?? "",
    strip.node,
    split([runHead.node, eventHead.node], pane.node));
  paint();
  return () => channel.stop();
}
