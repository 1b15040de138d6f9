/* "cite" copies one line for a list of references, with the address of the thing; without this script it leads there.

   Citations hold addresses below the site. Here each gets the address at which the site is read. */
(() => {
  "use strict";

  const SHOWN_MS = 1600;
  const root = new URL("..", document.currentScript.src).href;

  /* Citations that are shown in full. */
  for (const entry of document.querySelectorAll("[data-address]")) {
    const { address } = entry.dataset;
    entry.textContent = entry.textContent.replace(address, () => root + address);
  }

  /* The copy button of each entry comes in a landmark without a name; a screen reader tells them apart by one. */
  let named = 0;
  const name = () => {
    for (const bar of document.querySelectorAll("nav.md-code__nav:not([aria-label])")) {
      named += 1;
      bar.setAttribute("aria-label", `Copy entry ${named}`);
    }
  };
  if (document.querySelector("code[data-address], .cited")) {
    new MutationObserver(name).observe(document.body, { childList: true, subtree: true });
    name();
  }

  document.addEventListener("click", async (event) => {
    const link = event.target instanceof Element ? event.target.closest("a.cite[data-cite]") : null;
    if (!link || !navigator.clipboard || link.dataset.copied) return;
    event.preventDefault();
    const place = link.dataset.cite.lastIndexOf(" ") + 1;
    try {
      await navigator.clipboard.writeText(link.dataset.cite.slice(0, place) + root + link.dataset.cite.slice(place));
    } catch {
      location.assign(link.href);
      return;
    }
    const label = link.textContent;
    link.dataset.copied = "yes";
    link.setAttribute("aria-live", "polite");
    link.textContent = "copied";
    setTimeout(() => {
      link.textContent = label;
      delete link.dataset.copied;
    }, SHOWN_MS);
  });
})();
