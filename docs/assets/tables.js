/* Tables sort by the column whose header is pressed; wide ones scroll under a first column that stays in sight.

   A cell sorts by `data-sort` of an element inside it, else by its text: as a number if it begins like one. */
(() => {
  "use strict";

  const FEWEST_ROWS_TO_SORT = 3;
  const inOrder = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  function key(row, column) {
    const cell = row.cells[column];
    const given = cell?.querySelector("[data-sort]")?.dataset.sort;
    const text = (given ?? cell?.textContent ?? "").trim();
    const plain = text.replace(/[\s,]/g, "").replace("\u2212", "-");
    const number = Number.parseFloat(plain);
    return /^[-+]?\.?\d/.test(plain) ? number : /^[–—-]?$/.test(text) ? null : text;
  }

  /* Cells without a value stay at the end in both directions. */
  function compare(a, b, direction) {
    if (a === null || b === null) return (a === null) - (b === null);
    if (typeof a === "number" && typeof b === "number") return direction * (a - b);
    return direction * inOrder.compare(a, b);
  }

  function sort(table, header, column) {
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => ({ row, key: key(row, column) }));
    const numeric = rows.some(({ key }) => typeof key === "number");
    const before = header.getAttribute("aria-sort");
    const ascending = before ? before === "descending" : !numeric;
    rows.sort((a, b) => compare(a.key, b.key, ascending ? 1 : -1));
    body.append(...rows.map(({ row }) => row));
    for (const other of header.parentElement.cells) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  }

  function makeSortable(table) {
    const headers = table.tHead?.rows.length === 1 ? [...table.tHead.rows[0].cells] : [];
    if (!headers.length || table.tBodies[0].rows.length < FEWEST_ROWS_TO_SORT) return;
    headers.forEach((header, column) => {
      if (!header.textContent.trim() || header.querySelector("a, button")) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...header.childNodes);
      header.append(button);
      button.addEventListener("click", () => sort(table, header, column));
    });
  }

  /* Material puts the box that scrolls around each table when the page is ready. */
  function watchScrolling(block) {
    const box = block.querySelector(".md-typeset__scrollwrap");
    if (!box) return;
    const update = () => {
      box.classList.toggle("scrolled", box.scrollLeft > 0);
      if (box.scrollWidth > box.clientWidth) box.setAttribute("tabindex", "0");
      else box.removeAttribute("tabindex");
    };
    box.addEventListener("scroll", update, { passive: true });
    addEventListener("resize", update);
    update();
  }

  document.querySelectorAll(".table table").forEach(makeSortable);
  addEventListener("load", () => document.querySelectorAll(".table").forEach(watchScrolling));
})();
