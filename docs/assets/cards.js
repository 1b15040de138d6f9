/* A number opens a card with its derivation: near the number on hover or focus, as a sheet on a phone.

   The number is a link to that derivation, so without this script nothing is lost but the shortcut. */
(() => {
  "use strict";

  const OPEN_AFTER_MS = 180;
  const CLOSE_AFTER_MS = 250;
  const GAP_PX = 6;
  const EDGE_PX = 8;
  const CARD_ID = "number-card";
  const phone = matchMedia("(max-width: 44.9375em)");

  let card = null;
  let number = null;
  let timer = 0;
  let pointer = "mouse";

  const numberAt = (target) => (target instanceof Element ? target.closest("a.num[data-card]") : null);

  const later = (action, delay) => {
    clearTimeout(timer);
    timer = setTimeout(action, delay);
  };

  /* Ids stay unique and the outline of the page stays as it is. */
  function fill(container, derivation) {
    for (const child of derivation.cloneNode(true).children) {
      let part = child;
      if (/^H[1-6]$/.test(child.tagName)) {
        part = document.createElement("p");
        part.className = "card-title";
        part.append(...child.cloneNode(true).childNodes);
      } else {
        part = child.cloneNode(true);
      }
      for (const element of [part, ...part.querySelectorAll("[id]")]) element.removeAttribute("id");
      container.append(part);
    }
  }

  function place() {
    const at = number.getClientRects()[0] ?? number.getBoundingClientRect();
    const below = innerHeight - at.bottom - GAP_PX - EDGE_PX;
    const above = at.top - GAP_PX - EDGE_PX;
    card.style.maxHeight = "";
    const under = card.offsetHeight <= below || below >= above;
    card.style.maxHeight = `${Math.max(under ? below : above, 120)}px`;
    const top = under ? at.bottom + GAP_PX : at.top - GAP_PX - card.offsetHeight;
    const left = Math.min(at.left, innerWidth - card.offsetWidth - EDGE_PX);
    card.style.top = `${Math.max(top, EDGE_PX)}px`;
    card.style.left = `${Math.max(left, EDGE_PX)}px`;
  }

  function open(link, asSheet) {
    if (number === link && card) return;
    close();
    const derivation = document.getElementById(link.dataset.card);
    if (!derivation) return;
    number = link;
    card = document.createElement(asSheet ? "dialog" : "div");
    card.id = CARD_ID;
    card.className = asSheet ? "card sheet md-typeset" : "card md-typeset";
    if (asSheet) {
      addCloseButton();
      card.setAttribute("aria-label", "How this number is computed");
      card.addEventListener("close", close);
      card.addEventListener("click", (event) => event.target === card && close());
    } else {
      card.setAttribute("role", "tooltip");
    }
    fill(card, derivation);
    (document.querySelector("main") ?? document.body).append(card);
    if (asSheet) {
      card.showModal();
    } else {
      number.setAttribute("aria-describedby", CARD_ID);
      place();
    }
  }

  function addCloseButton() {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "card-close";
    button.setAttribute("aria-label", "Close");
    button.textContent = "×";
    button.addEventListener("click", close);
    card.append(button);
  }

  function close() {
    clearTimeout(timer);
    const [oldCard, oldNumber] = [card, number];
    card = number = null;
    oldNumber?.removeAttribute("aria-describedby");
    oldCard?.remove();
    if (oldCard?.tagName === "DIALOG") oldNumber.focus({ preventScroll: true });
  }

  document.addEventListener("pointerdown", (event) => {
    pointer = event.pointerType;
    if (card && !card.contains(event.target) && !numberAt(event.target)) close();
  });

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "mouse") return;
    const link = numberAt(event.target);
    if (link && link !== number) later(() => open(link, false), OPEN_AFTER_MS);
    else if (link || card?.contains(event.target)) clearTimeout(timer);
  });

  document.addEventListener("pointerout", (event) => {
    if (event.pointerType !== "mouse" || card?.tagName === "DIALOG") return;
    if (numberAt(event.target) || card?.contains(event.target)) later(close, CLOSE_AFTER_MS);
  });

  document.addEventListener("focusin", (event) => {
    const link = numberAt(event.target);
    if (link?.matches(":focus-visible") && pointer === "keyboard") open(link, false);
    else if (card && card.tagName !== "DIALOG" && !card.contains(event.target)) close();
  });

  document.addEventListener("click", (event) => {
    const link = numberAt(event.target);
    if (!link) return;
    if (pointer === "touch" || pointer === "pen") {
      event.preventDefault();
      open(link, phone.matches);
    } else {
      close();
    }
  });

  document.addEventListener("keydown", (event) => {
    pointer = "keyboard";
    if (event.key === "Escape" && card && card.tagName !== "DIALOG") close();
  });

  addEventListener("scroll", () => card && card.tagName !== "DIALOG" && place(), { passive: true });
  addEventListener("resize", close);
})();
