// What a notebook calls: each kind of widget draws itself into the element it is given.

const FRONTS = { contract: renderContract, run: renderRun, comparison: renderComparison, label: renderLabel, trajectory: renderTrajectory };

function render({ model, el: host }) {
  // The two ignore classes keep MathJax, which notebooks run over their outputs, away from dollar signs in data.
  const root = el("div", { class: "enb enbw tex2jax_ignore mathjax_ignore" });
  ownKeys(root);
  host.append(root);
  const look = badges(model.get("styles") || {});
  let stop = FRONTS[model.get("kind")](model, root, look);
  const again = () => {
    const held = root.contains(document.activeElement);
    stop?.();
    root.replaceChildren();
    stop = FRONTS[model.get("kind")](model, root, look);
    if (held) root.querySelector("[tabindex='0']")?.focus({ preventScroll: true });
  };
  model.on("change:outline", again);
  return () => {
    model.off("change:outline", again);
    stop?.();
  };
}

export default { render };
