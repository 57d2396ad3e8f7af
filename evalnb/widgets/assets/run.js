// A run: choose probe, trial and oracle, and read the outcome beside them.

function renderPending(root, pending) {
  root.append(heading(pending.title, "Evaluation"));
  if (pending.failure) {
    root.append(el("p", { class: "enbw-failure", text: pending.failure }));
    return null;
  }
  root.append(
    el("progress", { class: "enbw-progress", max: pending.steps, value: pending.done, "aria-label": "run" }),
    el("p", { class: "enb-quiet", role: "status", text: pending.step ? `Running: ${pending.step}` : "Starting" }));
  return null;
}

// Several of many terms, as buttons that are pressed or not.
function termPicker(label, terms, chosen, look, onChange) {
  const wanted = new Set(chosen);
  return el("div", { class: "enbw-terms", role: "group", "aria-label": label }, terms.map((term) => {
    const press = el("button", {
      type: "button", class: "enbw-term", "aria-pressed": String(wanted.has(term)),
      on: { click: () => {
        if (!wanted.delete(term)) wanted.add(term);
        press.setAttribute("aria-pressed", String(wanted.has(term)));
        onChange([...wanted]);
      } },
    }, look.badge(term));
    return press;
  }));
}

function renderRun(model, root, look) {
  const outline = model.get("outline");
  if (outline.pending) return renderPending(root, outline.pending);
  const channel = talk(model);
  const place = placeOf(model);
  const run = new RunModel(outline);
  Object.assign(run.filter, place.get("filter", {}));
  const at = { arm: place.get("arm", ""), trial: place.get("trial", 0), oracle: place.get("oracle", "") };
  const pane = answerPane(channel, "outcome");
  let found = run.matches();
  const armNow = () => run.arms.findIndex((arm) => arm.id === at.arm);

  const probes = new Rows({
    role: "listbox", label: "probes", height: 190, empty: "no probe fits the filter",
    cells: (row) => {
      const arm = run.arms[row.place];
      return [look.mark(arm.result), el("span", { class: "enbw-id", text: arm.id }),
        el("span", { class: "enbw-text", text: `${arm.class}: ${arm.planted}`, title: arm.planted }),
        el("span", { class: "enbw-end" }, run.narrows() ? el("span", { text: String(row.count) }) : null, look.badge(arm.verdict))];
    },
    onChoose: (row) => {
      at.arm = row.key;
      at.trial = Math.min(at.trial, run.arms[row.place].trials.length - 1);
      if (run.narrows() && !found[row.place][at.trial]?.length) {
        at.trial = Math.max(0, found[row.place].findIndex((oracles) => oracles.length));
      }
      paintTrials();
    },
  });
  const oracles = new Rows({
    role: "listbox", label: "oracles", height: 270, empty: "no outcome fits the filter",
    cells: (row) => {
      const [id, , text] = run.oracles[row.place];
      const arm = armNow();
      const state = run.term(arm, "state", at.trial, row.place);
      const apart = run.term(arm, "corroboration", at.trial, row.place) === "disagrees";
      return [look.mark(state || "invalid"), el("span", { class: "enbw-id", text: id }),
        el("span", { class: "enbw-text", text }),
        el("span", { class: "enbw-end" }, apart ? look.badge("disagrees") : null, el("span", { text: state ? look.label(state) : "" }))];
    },
    onChoose: (row) => {
      at.oracle = row.key;
      read(true);
    },
  });
  const trials = el("div", { class: "enbw-trials", role: "radiogroup", "aria-label": "trial", on: { keydown: (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const count = run.arms[armNow()].trials.length;
    at.trial = (at.trial + step + count) % count;
    paintTrials();
    trials.querySelector("[aria-checked=true]")?.focus();
  } } });

  function read(soon) {
    place.set({ ...at });
    const arm = armNow();
    const oracle = run.oracles.findIndex(([id]) => id === at.oracle);
    if (arm < 0 || oracle < 0) pane.clear("Choose a probe and an oracle.");
    else (soon ? pane.soon : pane.show)("outcome", { arm, trial: at.trial, oracle });
  }

  function paintTrials() {
    const arm = armNow();
    trials.replaceChildren();
    if (arm >= 0) {
      run.arms[arm].trials.forEach((index, trial) => trials.append(el("button", {
        type: "button", class: "enbw-button", role: "radio", "aria-checked": String(trial === at.trial),
        tabindex: trial === at.trial ? "0" : "-1",
        text: run.narrows() ? `Trial ${index} (${found[arm][trial].length})` : `Trial ${index}`,
        on: { click: () => { at.trial = trial; paintTrials(); trials.querySelector("[aria-checked=true]")?.focus(); } },
      })));
    }
    const left = arm < 0 ? [] : found[arm][at.trial] || [];
    const rows = left.map((one) => ({ key: run.oracles[one][0], place: one, text: run.oracles[one][0] }));
    if (!rows.some((row) => row.key === at.oracle) && rows.length) at.oracle = rows[0].key;
    oracles.set(rows, at.oracle);
    oracleHead.count(`${rows.length} of ${run.oracles.length}`);
    if (rows.length) read(true);
    else pane.clear("No outcome fits the filter.");
  }

  function paint() {
    found = run.matches();
    const counts = found.map((perTrial) => perTrial.reduce((sum, some) => sum + some.length, 0));
    const rows = run.arms.map((arm, one) => ({ key: arm.id, place: one, text: arm.id, count: counts[one] }))
      .filter((row) => row.count > 0 || !run.narrows());
    if (!rows.some((row) => row.key === at.arm)) at.arm = rows[0]?.key ?? "";
    probes.set(rows, at.arm);
    probeHead.count(`${rows.length} of ${run.arms.length}`);
    const total = counts.reduce((sum, one) => sum + one, 0);
    told.textContent = `${total.toLocaleString("en")} outcomes`;
    paintTrials();
  }

  const probeHead = titled("Probes", "", probes.node);
  const oracleHead = titled("Oracles", "", oracles.node);
  const told = el("span", { role: "status" });
  const narrow = (changes) => {
    Object.assign(run.filter, changes);
    place.set({ filter: { ...run.filter } });
    paint();
  };
  const present = run.fields.state.filter((_, one) => run.arms.some((arm) => arm.state.some((row) => row.includes(LETTERS[one]))));
  root.append(
    heading(run.title, "Evaluation run", told, ...Object.entries(run.verdicts).map(([verdict, count]) => (
      look.badge(verdict, `${count} ${look.label(verdict)}`)))),
    toolbar("filter outcomes",
      searchField("Search oracles", run.filter.words, (words) => narrow({ words })),
      selectBox("Severity", ["any", "critical", "material", "low"], run.filter.severity, (severity) => narrow({ severity })),
      selectBox("Behavior", ["any", ...run.behaviors.map(([id]) => id)], run.filter.behavior, (behavior) => narrow({ behavior }),
        (id) => (id === "any" ? "any" : `${id} ${run.behaviors.find((one) => one[0] === id)[2]}`.slice(0, 60))),
      checkBox("Check and evaluator disagree", run.filter.disagree, (disagree) => narrow({ disagree })),
      termPicker("states", present, run.filter.states, look, (states) => narrow({ states }))),
    split([probeHead.node, trials, oracleHead.node], pane.node));
  paint();
  return () => channel.stop();
}
