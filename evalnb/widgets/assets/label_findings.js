// The findings about one oracle, as small forms. Every change is an action; the kernel keeps the draft.

function findingForm(finding, form) {
  const { act, look, terms, stem } = form;
  const id = finding.finding_id;
  const change = (field, value) => act({ do: "change-finding", finding: id, field, value });
  const named = (field) => ({ "data-focus": `${stem}-${id}-${field}` });
  const pick = (field, label, options, value) => {
    const box = selectBox(label, options, value, (chosen) => change(field, chosen), look.label);
    box.querySelector("select").setAttribute("data-focus", `${stem}-${id}-${field}`);
    return box;
  };
  const told = el("output", { text: finding.confidence.toFixed(2) });
  const confidence = el("input", { type: "range", min: "0", max: "1", step: "0.05", ...named("confidence"), on: {
    input: () => { told.textContent = Number(confidence.value).toFixed(2); },
    change: () => change("confidence", Number(confidence.value)),
  } });
  confidence.value = String(finding.confidence);
  const summary = el("textarea", { rows: "2", class: "enbw-wide", "aria-label": `summary of ${id}`, maxlength: "20000",
    placeholder: "What did you notice?", ...named("summary"), on: { input: later(() => change("summary", summary.value), 300), blur: () => {
      if (summary.value !== finding.summary) change("summary", summary.value);
    } } });
  summary.value = finding.summary;
  const quotes = finding.quotes.map(([channel, text], place) => el("li", {},
    el("code", { text }), el("span", { class: "enb-source", text: channel }),
    button("Remove", () => act({ do: "unquote", finding: id, quote: place }), { "aria-label": `remove quotation ${place + 1}` })));
  const cited = finding.observation_ids.length ? finding.observation_ids.join(", ") : "no call yet";
  return el("div", { class: "enbw-finding", role: "group", "aria-label": `finding ${id}` },
    el("div", { class: "enbw-callhead" }, look.badge(finding.finding_type), el("strong", { text: id }),
      el("span", { class: "enb-quiet", text: `cites ${cited}` }),
      button("Remove finding", () => act({ do: "remove-finding", finding: id }), { class: "enbw-button enbw-right" })),
    el("div", { class: "enbw-tools enbw-plain" },
      pick("type", "Kind", terms.type, finding.finding_type),
      pick("severity", "Severity", terms.severity, finding.severity),
      el("label", { class: "enbw-field" }, el("span", { text: "Confidence" }), confidence, told)),
    summary,
    quotes.length ? el("ul", { class: "enbw-quotes" }, quotes)
      : el("p", { class: "enb-quiet", text: "Nothing quoted: choose a call, then a passage of it below." }));
}

// The passages of the call that is shown, each to be quoted in the finding that is being written.
function passageList(observation, passages, finding, act) {
  if (!finding) return el("p", { class: "enb-quiet", text: "Add a finding to quote from this call." });
  return el("div", { role: "group", "aria-label": `passages of ${observation}` },
    el("p", { class: "enb-quiet", text: `Quote in ${finding.finding_id}:` }),
    el("div", { class: "enbw-passages" }, passages.map(([channel, artifact, text], passage) => (
      el("button", { type: "button", class: "enbw-passage", "data-focus": `passage-${observation}-${passage}`,
        "aria-pressed": String(finding.quotes.some(([where, quoted]) => where === channel && quoted === text)),
        title: artifact ? `${channel} ${artifact}` : channel,
        on: { click: () => act({ do: "quote", finding: finding.finding_id, observation, passage }) } },
      el("code", { text })))))); 
}
