// The labelling form: directions to decide on the left; beside them what one says, the recorded calls, and findings.

const JUDGE_KEYS = { h: "held", v: "violated", n: "not-attempted" };

function renderLabel(model, root, look) {
  const channel = talk(model);
  const place = placeOf(model);
  const outline = model.get("outline");
  let state = outline.state;
  const ids = outline.directions.map(([id]) => id);
  const at = { oracle: place.get("oracle", ids[0]), observation: place.get("observation", outline.observations[0]?.[0]) };
  let passages = [];
  const judged = (oracle) => state.judgements[oracle] || { disposition: null, observations: [], note: "" };
  const status = el("span", { role: "status", class: "enb-quiet" });
  const failure = el("div", { role: "alert" });

  const take = (answer, told) => {
    failure.replaceChildren(...(answer.failure === undefined ? [] : [el("p", { class: "enbw-failure", text: answer.failure })]));
    if (answer.state) {
      state = answer.state;
      status.textContent = told || "Draft kept";
      paint();
    }
  };
  const act = (action) => channel.ask("do", action).then((answer) => take(answer));
  const judge = (disposition) => act({ do: "judge", oracle: at.oracle,
    disposition: judged(at.oracle).disposition === disposition ? null : disposition });

  const directions = new Rows({
    role: "listbox", label: "directions", height: 380,
    cells: (row) => {
      const { disposition } = judged(row.key);
      return [disposition ? look.mark(disposition) : el("span", { class: "enbw-mark enbw-open", title: "not decided" }, el("span", { class: "enbw-unseen", text: "not decided" })),
        el("span", { class: "enbw-id", text: row.key }), el("span", { class: "enbw-text", text: row.direction })];
    },
    onChoose: (row) => {
      at.oracle = row.key;
      place.set({ ...at });
      paint();
    },
    onKey: (event) => {
      const disposition = JUDGE_KEYS[event.key.toLowerCase()];
      if (disposition) judge(disposition);
      return disposition !== undefined;
    },
  });
  const calls = new Rows({
    role: "listbox", label: "recorded calls", height: 220, empty: "no call was recorded",
    cells: (row) => {
      const cited = judged(at.oracle).observations.includes(row.key);
      return [el("span", { class: "enbw-box", "aria-hidden": "true", text: cited ? "☑" : "☐" }),
        el("span", { class: "enbw-unseen", text: cited ? "cited" : "not cited" }),
        el("span", { class: "enbw-id", text: row.key }), el("span", { class: "enbw-text", text: row.operation }),
        el("span", { class: "enbw-end", text: row.answer })];
    },
    onChoose: (row) => {
      at.observation = row.key;
      place.set({ ...at });
      look_at(true);
    },
    onKey: (event, row) => {
      if (event.key !== " " && event.key !== "Enter") return false;
      if (row) cite(row.key);
      return true;
    },
  });
  calls.node.addEventListener("click", (event) => {
    if (event.target.classList.contains("enbw-box") && calls.current()) cite(calls.current().key);
  });
  const cite = (observation) => {
    const on = !judged(at.oracle).observations.includes(observation);
    act({ do: "cite", oracle: at.oracle, observation, on });
  };
  const pane = answerPane(channel, "recorded call");
  const shown = el("div", { class: "enbw-shown" });
  const look_at = (soon) => {
    if (!at.observation) return;
    const then = (answer) => {
      passages = answer.passages;
      paintPassages();
    };
    (soon ? pane.soon : pane.show)("observation", { observation: at.observation }, then);
  };

  const undo = button("Undo", () => channel.ask("undo", {}).then((answer) => take(answer, "Taken back")), { "data-focus": "undo" });
  const redo = button("Redo", () => channel.ask("redo", {}).then((answer) => take(answer, "Done again")), { "data-focus": "redo" });
  const save = button("Save record", () => channel.ask("save", {}).then((answer) => (
    take(answer, `Saved ${answer.state?.saved || ""}`))), { class: "enbw-button enbw-main", "data-focus": "save" });
  root.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || /^(TEXTAREA|INPUT)$/.test(event.target.tagName)) return;
    event.preventDefault();
    (event.shiftKey ? redo : undo).click();
  });
  const progress = el("span");
  const recommend = el("select", { class: "enbw-select", "data-focus": "recommend", on: { change: () => (
    act({ do: "recommend", recommendation: recommend.value || null })) } });
  const direction = el("div", { class: "enbw-direction" });
  const findings = el("div", {});
  const adding = el("span", {});
  const citing = el("span", { class: "enb-quiet" });

  // Painting again keeps the focus, and what is being typed.
  function paint() {
    const active = root.contains(document.activeElement) ? document.activeElement : null;
    const held = active?.dataset.focus && { key: active.dataset.focus, value: active.value, start: active.selectionStart,
      end: active.selectionEnd, typed: active.tagName === "TEXTAREA" };
    const decided = ids.filter((id) => judged(id).disposition).length;
    progress.textContent = `${decided} of ${ids.length} decided`;
    undo.disabled = !state.canUndo;
    redo.disabled = !state.canRedo;
    recommend.replaceChildren(
      el("option", { value: "", text: `as said: ${look.label(state.suggested)}` }),
      ...outline.terms.recommendation.map((term) => el("option", { value: term, text: look.label(term) })));
    recommend.value = state.recommendation || "";
    directions.redraw();
    calls.redraw();
    citing.textContent = `${judged(at.oracle).observations.length} cited. Space cites or takes back.`;
    paintDirection();
    paintFindings();
    paintPassages();
    if (held) {
      const again = [...root.querySelectorAll("[data-focus]")].find((node) => node.dataset.focus === held.key);
      if (again && again !== document.activeElement) {
        if (held.typed) again.value = held.value;
        again.focus({ preventScroll: true });
        if (held.typed) again.setSelectionRange(held.start, held.end);
      }
    }
  }

  function paintDirection() {
    const text = outline.directions.find(([id]) => id === at.oracle)?.[1];
    const about = outline.behaviors.filter(([, , , , oracles]) => oracles.includes(at.oracle));
    const { disposition, note } = judged(at.oracle);
    const oracle = at.oracle;
    const writing = el("textarea", { rows: "1", class: "enbw-wide", placeholder: "Note (optional)", "aria-label": "note", maxlength: "20000",
      "data-focus": `note-${oracle}`, on: { input: later(() => act({ do: "note", oracle, text: writing.value }), 300) } });
    writing.value = note;
    direction.replaceChildren(
      el("div", { class: "enbw-title" }, el("span", { class: "enb-kind", text: "direction" }), el("strong", { text: oracle }),
        ...about.map(([id, severity]) => el("span", { class: "enbw-facts" }, el("code", { text: id }), look.badge(severity)))),
      el("p", { class: "enbw-lead enbw-about", text }),
      ...about.map(([, , description, criterion]) => el("p", { class: "enb-quiet enbw-about", text: criterion ? `${description} ${criterion}` : description })),
      el("div", { class: "enbw-trials", role: "radiogroup", "aria-label": "your answer", on: { keydown: (event) => moveRadio(event) } },
        ...outline.terms.disposition.map((term, index) => el("button", {
          type: "button", role: "radio", class: "enbw-button", "aria-checked": String(disposition === term),
          tabindex: (disposition || outline.terms.disposition[0]) === term ? "0" : "-1", "data-focus": `judge-${term}`,
          on: { click: () => judge(term) } },
        look.badge(term), el("kbd", { text: term[0].toUpperCase() })))),
      writing);
  }

  function moveRadio(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const terms = outline.terms.disposition;
    const now = Math.max(0, terms.indexOf(document.activeElement.dataset.focus?.replace("judge-", "")));
    const next = terms[(now + step + terms.length) % terms.length];
    root.querySelector(`[data-focus="judge-${next}"]`)?.focus();
    act({ do: "judge", oracle: at.oracle, disposition: next });
  }

  const own = () => state.findings.filter((one) => one.oracle_id === at.oracle);

  function paintFindings() {
    adding.replaceChildren(outline.canFind
      ? button("Add finding", () => act({ do: "add-finding", oracle: at.oracle }), { "data-focus": "add-finding" })
      : el("span", { class: "enb-quiet", text: "No findings: the form was opened without probe_id=." }));
    findings.replaceChildren(
      ...own().map((finding) => findingForm(finding, { act, look, terms: outline.terms, stem: "finding" })));
  }

  function paintPassages() {
    shown.replaceChildren(at.observation ? passageList(at.observation, passages, own().at(-1), act) : "");
  }

  const facts = el("details", { class: "enb-part" }, el("summary", { text: "The brief: what may be used, and how much of it" }),
    el("dl", { class: "enbw-brief" }, outline.brief.map(([name, texts]) => el("div", {}, el("dt", { text: name }),
      texts.map((text) => el("dd", { text }))))));
  root.append(
    heading(outline.title, `Labelling, trial ${outline.trial}`, progress, status),
    el("p", { class: "enb-quiet", text: outline.instructions }),
    toolbar("work", undo, redo, el("label", { class: "enbw-field" }, el("span", { text: "Recommendation" }), recommend), save,
      el("span", { class: "enb-quiet", text: `to ${outline.out}` })),
    failure,
    split([directions.node, facts], el("div", { class: "enbw-work" },
      direction,
      el("section", { class: "enbw-part", "aria-label": "recorded calls" },
        el("div", { class: "enbw-listhead" }, el("span", { text: "Recorded calls" }), citing),
        el("div", { class: "enbw-calls" }, calls.node, pane.node)),
      el("section", { class: "enbw-part", "aria-label": "findings" },
        el("div", { class: "enbw-listhead" }, el("span", { text: "Findings" }), adding), findings, shown))));
  directions.set(outline.directions.map(([id, text]) => ({ key: id, text: id, direction: text })), at.oracle);
  calls.set(outline.observations.map(([id, sequence, operation, answer]) => (
    { key: id, text: id, operation: `${sequence}. ${operation}`, answer })), at.observation);
  if (outline.resumed) status.textContent = "Went on from the kept draft";
  paint();
  look_at(false);
  return () => channel.stop();
}
