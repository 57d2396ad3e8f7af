// Questions to the kernel and their answers; and the reader's place, which the kernel keeps.

let views = 0;

function talk(model) {
  views += 1;
  // Several views of one widget share its channel, so a view has numbers of its own.
  let asked = (views % 4096) * 1e6;
  const waiting = new Map();
  const received = (content) => {
    const settle = waiting.get(content?.answer);
    if (!settle) return;
    waiting.delete(content.answer);
    settle(content);
  };
  model.on("msg:custom", received);
  return {
    ask(question, given) {
      asked += 1;
      const number = asked;
      model.send({ ask: number, question, given });
      return new Promise((settle) => waiting.set(number, settle));
    },
    stop() {
      model.off("msg:custom", received);
      waiting.clear();
    },
  };
}

function placeOf(model) {
  const save = later((place) => {
    model.set("place", place);
    model.save_changes();
  }, 150);
  let place = { ...(model.get("place") || {}) };
  return {
    get: (key, fallback) => (place[key] === undefined ? fallback : place[key]),
    set(changes) {
      place = { ...place, ...changes };
      save(place);
    },
  };
}

// A pane that shows the answer to the last question; an older answer that arrives late is dropped.
function answerPane(channel, label) {
  const node = el("div", { class: "enbw-pane", role: "region", "aria-label": label, tabindex: "0", "aria-live": "off" });
  let latest = 0;
  const show = (question, given, then) => {
    latest += 1;
    const mine = latest;
    node.setAttribute("aria-busy", "true");
    return channel.ask(question, given).then((answer) => {
      if (mine !== latest) return;
      node.removeAttribute("aria-busy");
      if (answer.failure !== undefined) node.replaceChildren(el("p", { class: "enbw-failure", text: answer.failure }));
      else if (answer.html !== undefined) setPage(node, answer.html);
      node.scrollTop = 0;
      if (answer.failure === undefined) then?.(answer);
    });
  };
  return { node, show, soon: later(show, 40), clear: (text) => {
    latest += 1;
    node.removeAttribute("aria-busy");
    node.replaceChildren(el("p", { class: "enb-quiet", text }));
  } };
}
