(() => {
  if (window.evalnbTables) return;
  const source = document.querySelector("script.enb-datatables");
  if (!source) return;
  const url = URL.createObjectURL(new Blob([source.textContent], {type: "text/javascript"}));
  window.evalnbTables = import(url).then((library) => {
    URL.revokeObjectURL(url);
    return library;
  });
  window.dispatchEvent(new Event("evalnb-tables"));
})();
