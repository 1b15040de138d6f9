/* "cite" copies one line for a list of references, with the address of the thing; without this script it leads there. */
(() => {
  "use strict";

  const SHOWN_MS = 1600;

  document.addEventListener("click", async (event) => {
    const link = event.target instanceof Element ? event.target.closest("a.cite[data-cite]") : null;
    if (!link || !navigator.clipboard) return;
    event.preventDefault();
    // The address in the line is relative to the site; the copy carries the whole one.
    const address = new URL(link.getAttribute("href"), location.href).href;
    const line = link.dataset.cite.replace(/\S+\.html(#\S+)?$/, "").trim();
    await navigator.clipboard.writeText(`${line} ${address}`);
    const label = link.textContent;
    link.textContent = "copied";
    link.setAttribute("aria-live", "polite");
    setTimeout(() => { link.textContent = label; }, SHOWN_MS);
  });
})();
