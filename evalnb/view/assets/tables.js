(() => {
  if (window.evalnbTables) return;
  const source = document.querySelector("script.enb-datatables");
  if (!source) return;
  const FORMULA = /^[\s'"]*[=+\-@|%\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;
  const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

  const exact = (cell) => {
    if (cell.dataset.value !== undefined) return cell.dataset.value;
    const full = cell.querySelector(".enb-full");
    return (full || cell).textContent;
  };
  const quoted = (text) => {
    const harmless = FORMULA.test(text) && !NUMBER.test(text) ? "'" + text : text;
    return '"' + harmless.replace(/"/g, '""') + '"';
  };
  const element = (name, properties) => Object.assign(document.createElement(name), properties);
  const literal = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

  const save = (table, settings) => {
    const lines = [settings.columns.map((column) => quoted(column.heading)).join(",")];
    table.rows({search: "applied", order: "applied"}).nodes().each((row) => {
      lines.push([...row.cells].map((cell) => quoted(exact(cell))).join(","));
    });
    const blob = new Blob(["\ufeff" + lines.join("\r\n") + "\r\n"], {type: "text/csv;charset=utf-8"});
    const link = element("a", {href: URL.createObjectURL(blob), download: settings.name + ".csv"});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };

  const filter = (column, {heading, choices}) => {
    const label = "Filter by " + heading;
    if (choices.length) {
      const select = element("select", {className: "enb-filter", ariaLabel: label});
      select.append(element("option", {value: "", textContent: "all"}));
      choices.forEach((term, place) => select.append(element("option", {value: place + 1, textContent: term})));
      select.addEventListener("change", () => {
        const term = choices[select.value - 1];
        column.search(select.value ? "^" + literal(term) + "$" : "", true, false, false).draw();
      });
      return select;
    }
    const input = element("input", {type: "search", className: "enb-filter", placeholder: "filter", ariaLabel: label});
    input.addEventListener("input", () => column.search(input.value, false, true, true).draw());
    return input;
  };

  /* Says on the box at which edges columns are hidden, so that the style can show that there are more. */
  const showHidden = (box) => {
    const tell = () => {
      const left = box.scrollLeft > 1;
      const right = box.scrollLeft + box.clientWidth < box.scrollWidth - 1;
      box.dataset.hidden = [left && "left", right && "right"].filter(Boolean).join(" ");
    };
    box.addEventListener("scroll", tell, {passive: true});
    new ResizeObserver(tell).observe(box);
    if (box.firstElementChild) new ResizeObserver(tell).observe(box.firstElementChild);
    tell();
  };
  const showHiddenOfStatic = () => document.querySelectorAll(".enb-scroll:not([data-hidden])").forEach((box) => {
    if (!box.querySelector(".dt-container")) showHidden(box);
  });

  const layout = (settings, button) => settings.isCalm
    ? {topStart: settings.hasSearch ? "search" : null, topEnd: null,
       bottomStart: settings.hasSearch ? "info" : null, bottomEnd: button}
    : {topStart: "search", topEnd: button, bottomStart: ["info", "pageLength"], bottomEnd: "paging"};

  const filters = (table, settings) => {
    const head = element("tr", {className: "enb-filters"});
    settings.columns.forEach((column, place) => {
      const cell = element("td");
      cell.append(filter(table.column(place), column));
      head.append(cell);
    });
    return head;
  };

  const enhance = (node, settings, library) => {
    const numeric = (column) => column.kind === "number" || column.kind === "flag";
    const button = () => {
      const made = element("button", {type: "button", className: "enb-button", textContent: "Save as CSV"});
      made.addEventListener("click", () => save(table, settings));
      return made;
    };
    const table = new library.jQuery.fn.DataTable.Api(
      library.jQuery(node).dataTable({
        autoWidth: false,
        order: [],
        orderCellsTop: true,
        paging: !settings.isCalm,
        pageLength: settings.pageLength,
        lengthMenu: [...new Set([settings.pageLength, 10, 25, 100, -1])].map(
          (size) => ({label: size < 0 ? "all" : String(size), value: size})),
        columns: settings.columns.map((column) => ({type: numeric(column) ? "num" : "html"})),
        layout: layout(settings, button),
        language: {
          search: "", searchPlaceholder: "search all columns", lengthMenu: "_MENU_ a page",
          emptyTable: "no rows", zeroRecords: "no row matches",
          info: "_START_ to _END_ of _TOTAL_", infoEmpty: "no rows", infoFiltered: "(out of _MAX_)",
        },
      }),
    );
    const whole = table.table().container();
    whole.classList.toggle("enb-calm", settings.isCalm);
    const outer = whole.closest(".enb-scroll");
    if (outer) ["tabindex", "role", "aria-label"].forEach((name) => outer.removeAttribute(name));
    whole.querySelectorAll(".dt-layout-table").forEach(showHidden);
    whole.querySelectorAll(".dt-search input").forEach((input) => { input.ariaLabel = "search all columns"; });
    if (settings.isCalm) return;
    node.tHead.append(filters(table, settings));
    whole.querySelectorAll("nav").forEach((nav) => { nav.ariaLabel = "pages of " + settings.title; });
    let length = null;
    window.addEventListener("beforeprint", () => {
      length = table.page.len();
      table.page.len(-1).draw(false);
      // Rows of other pages stand in the document only now, with what is folded in them.
      whole.querySelectorAll("details:not([open])").forEach((one) => { one.dataset.folded = ""; one.open = true; });
    });
    window.addEventListener("afterprint", () => { if (length !== null) table.page.len(length).draw(false); });
  };

  const enhanceAll = () => window.evalnbTables.then((library) => {
    document.querySelectorAll("script.enb-table-settings:not([data-done])").forEach((script) => {
      const node = document.getElementById(script.dataset.for);
      if (!node) return;
      script.dataset.done = "";
      enhance(node, JSON.parse(script.textContent), library);
    });
    showHiddenOfStatic();
  });
  const url = URL.createObjectURL(new Blob([source.textContent], {type: "text/javascript"}));
  window.evalnbTables = import(url).then((library) => { URL.revokeObjectURL(url); return library; });
  window.addEventListener("evalnb-table", enhanceAll);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", enhanceAll);
  enhanceAll();
})();
