(() => {
  const root = document.documentElement;
  root.classList.add("js");
  let kept = null;
  try { kept = localStorage.getItem("evalnb-theme"); } catch { /* storage may be closed to files */ }
  if (kept === "light" || kept === "dark") root.dataset.theme = kept;
})();
