// The theme names its version switch "Select version"; who operates it by voice says what is written on it.
new MutationObserver((_, watching) => {
  const current = document.querySelector(".md-version__current[aria-label]");
  if (!current) return;
  watching.disconnect();
  current.setAttribute("aria-label", `${current.textContent.trim()}: ${current.getAttribute("aria-label")}`);
}).observe(document.querySelector(".md-header") || document.body, { childList: true, subtree: true });
