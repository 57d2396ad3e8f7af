const root = document.documentElement;
const every = (selector, within = document) => Array.from(within.querySelectorAll(selector));
const breathe = () => new Promise((resume) => setTimeout(resume));
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches);

/* Charts: drawn one after another, so that the page stays responsive. Nothing is loaded and nothing is evaluated. */
const views = [];
const loader = { load: refuse, sanitize: refuse };
async function refuse() { throw new Error("a report loads nothing"); }

async function drawCharts() {
  for (const holder of every("script[data-chart]")) {
    const canvas = document.getElementById(holder.dataset.chart);
    try {
      const specification = JSON.parse(holder.textContent);
      const drawn = await window.vegaEmbed(placeIn(canvas, specification), specification, {
        mode: "vega-lite", renderer: "svg", actions: false, ast: true, loader, tooltip: { theme: "custom" },
      });
      views.push(drawn.view);
    } catch (problem) {
      canvas.textContent = `This chart could not be drawn: ${problem.message}`;
      console.error(problem);
    }
    canvas.closest("figure").classList.add("drawn");
    await breathe();
  }
  root.dataset.charts = "drawn";
}

/* A chart that could not be read at the width of a small screen is drawn wider, and its canvas scrolls. */
function placeIn(canvas, specification) {
  const place = canvas.appendChild(document.createElement("div"));
  const least = Number(specification.usermeta?.leastWidth);
  if (least > 0) {
    place.style.minWidth = `${least}px`;
    canvas.addEventListener("scroll", () => tellHidden(canvas), { passive: true });
    new ResizeObserver(() => tellHidden(canvas)).observe(canvas);
  }
  return place;
}

/* The style fades the edge behind which there is more. */
function tellHidden(canvas) {
  canvas.classList.toggle("more-left", canvas.scrollLeft > 1);
  canvas.classList.toggle("more-right", canvas.scrollLeft + canvas.clientWidth < canvas.scrollWidth - 1);
}

/* What scrolls sideways must be reachable with a keyboard. */
function markScrollers() {
  for (const box of every(".output, .chart-canvas")) {
    if (box.scrollWidth > box.clientWidth + 1) {
      box.tabIndex = 0;
      box.setAttribute("role", "region");
      if (!box.hasAttribute("aria-label")) box.setAttribute("aria-label", "Scrolls sideways");
    } else if (box.tabIndex === 0) {
      box.removeAttribute("tabindex");
      box.removeAttribute("role");
    }
  }
}

/* Paper shows what is folded. */
addEventListener("beforeprint", () => every("details:not([open])").forEach((one) => { one.dataset.folded = ""; one.open = true; }));
addEventListener("afterprint", () => every("details[data-folded]").forEach((one) => { delete one.dataset.folded; one.open = false; }));

const actions = {
  code(button) {
    const shown = root.classList.toggle("show-code");
    button.setAttribute("aria-pressed", String(shown));
  },
  theme() {
    root.dataset.theme = isDark() ? "light" : "dark";
    try { localStorage.setItem("evalnb-theme", root.dataset.theme); } catch { /* not kept then */ }
    dispatchEvent(new Event("evalnb-theme"));
  },
  print() { window.print(); },
};
for (const button of every("button[data-action]")) button.addEventListener("click", () => actions[button.dataset.action](button));

/* The contents follow the reader. */
function followReader() {
  const links = new Map(every(".contents a").map((link) => [link.hash.slice(1), link]));
  const headings = every("main h2[id]");
  const mark = () => {
    const edge = innerHeight * 0.3;
    const atEnd = innerHeight + scrollY >= document.body.scrollHeight - 2;
    const passed = headings.filter((heading) => atEnd || heading.getBoundingClientRect().top < edge);
    const current = passed.at(-1)?.id;
    for (const [id, link] of links) {
      if (id === current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    root.classList.toggle("scrolled", scrollY > 180);
  };
  let waiting = false;
  addEventListener("scroll", () => { if (!waiting) { waiting = true; requestAnimationFrame(() => { waiting = false; mark(); }); } }, { passive: true });
  mark();
}

if (innerWidth < 1100) every(".contents details").forEach((one) => { one.open = false; });
followReader();
await drawCharts();
await window.evalnbTables;
markScrollers();
addEventListener("resize", markScrollers);
root.dataset.ready = "true";
