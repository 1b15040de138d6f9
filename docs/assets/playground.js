/* The playground: filters and sorts the configurations that `configurations.js` brings, and shows how to repeat one.

   Everything shown was computed when the site was built; nothing is calculated here. The state of the form is the hash of
   the address: `#m=llama-3.1-70b&a=h200&l=tp4&f=fp8&b=64&s=chat` shows one configuration and opens it. */
(() => {
  "use strict";

  const MOST_ROWS = 100;
  const KEYS = ["m", "a", "l", "f", "s", "b", "u", "t"];
  const ROW_KEYS = ["m", "a", "l", "f", "s", "b"];
  const DEFAULT_ORDER = "usd";
  const THIN = "\u2009";

  const place = document.getElementById("explorer");
  const data = globalThis.handbookConfigurations;
  if (!place || !data) return;

  const form = place.querySelector("form");
  const count = place.querySelector(".count");
  const box = place.querySelector(".table");
  const table = place.querySelector("table");
  const body = table.tBodies[0];
  const headers = [...table.tHead.rows[0].cells];
  const columns = headers.map((header) => header.dataset.column);
  const inOrder = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  let order = DEFAULT_ORDER;

  /* ---- Rows ---- */

  const rows = unpack();

  function unpack() {
    const found = [];
    const { groups, values } = data;
    let position = 0;
    groups.model.forEach((model, group) => {
      const spread = data.spreads[groups.spread[group]];
      spread[5].forEach((batch, index) => {
        const fits = index < groups.fits[group];
        const row = {
          fits,
          m: data.models[model][0],
          a: data.accelerators[groups.accelerator[group]][0],
          l: spread[0],
          f: data.weights[groups.weights[group]],
          s: data.workloads[groups.workload[group]][0],
          b: String(batch),
          model: data.models[model][1],
          accelerator: data.accelerators[groups.accelerator[group]][1],
          spread: spread[1],
          weights: weightsOf(data.weights[groups.weights[group]], data.models[model][2]),
          batch,
          holds: groups.holds[group],
          group,
        };
        if (fits) {
          for (const name of Object.keys(values)) row[name] = values[name][position];
          row.bound = data.binding[data.bound[position]];
          position += 1;
        } else {
          row.bound = reason(groups.short[group], row.holds, batch);
        }
        found.push(row);
      });
    });
    return found;
  }

  function weightsOf(format, native) {
    return format === "native" ? `checkpoint (${native.toUpperCase()})` : format.toUpperCase();
  }

  function reason(short, holds, batch) {
    if (short > 0) return `no room: weights ${digits(short)}\u00a0GB short`;
    return holds < batch ? "no room: cache full" : "rate or link not published";
  }

  /* Three digits, as everywhere in the book. */
  function digits(value) {
    if (value === 0) return "0";
    const text = value >= 100 ? String(value) : value.toPrecision(3);
    return /^\d{5,}$/.test(text) ? grouped(value) : text;
  }

  const grouped = (value) => (value < 1e4 ? String(value) : String(value).replace(/\B(?=(\d{3})+$)/g, THIN));

  /* ---- State: the form, the order, the hash ---- */

  function wanted() {
    const state = Object.fromEntries(KEYS.map((key) => [key, form.elements[key].value]));
    return { ...state, fits: form.elements.fits.checked };
  }

  function toHash(state) {
    const given = new URLSearchParams();
    for (const key of KEYS) if (state[key]) given.set(key, state[key]);
    if (state.fits === false) given.set("fits", "0");
    if (state.o && state.o !== DEFAULT_ORDER) given.set("o", state.o);
    return `#${given}`;
  }

  function fromHash() {
    if (!location.hash.includes("=")) return null;
    return new URLSearchParams(location.hash.slice(1));
  }

  function apply(given) {
    for (const key of KEYS) {
      const field = form.elements[key];
      const value = given.get(key) ?? "";
      field.value = value;
      // What the form does not know, such as a model of another release, is left open.
      if (field.selectedIndex === -1) field.selectedIndex = 0;
    }
    if (!given.get("s")) form.elements.s.value = data.start.s;
    form.elements.fits.checked = given.get("fits") !== "0";
    const asked = given.get("o") ?? DEFAULT_ORDER;
    order = columns.includes(asked.replace(/^-/, "")) ? asked : DEFAULT_ORDER;
  }

  function remember() {
    history.replaceState(null, "", toHash({ ...wanted(), o: order }));
  }

  /* ---- Filter, sort, show ---- */

  function passes(row, state) {
    if (state.fits && !row.fits) return false;
    for (const key of ROW_KEYS) if (state[key] && row[key] !== state[key]) return false;
    if (state.u && !(row.user >= Number(state.u))) return false;
    return !(state.t && !(row.ttft <= Number(state.t)));
  }

  /* What is not known stays at the end in both directions. */
  function compare(a, b, name, direction) {
    const [x, y] = [a[name] ?? null, b[name] ?? null];
    if (x === null || y === null) return (x === null) - (y === null);
    return direction * (typeof x === "number" ? x - y : inOrder.compare(x, y));
  }

  function show(open = false) {
    const state = wanted();
    const name = order.replace(/^-/, "");
    const direction = order.startsWith("-") ? -1 : 1;
    const found = rows.filter((row) => passes(row, state));
    found.sort((a, b) => compare(a, b, name, direction));
    const shown = found.slice(0, MOST_ROWS);
    body.replaceChildren(...shown.map(line));
    const all = `${grouped(found.length)} configuration${found.length === 1 ? "" : "s"}`;
    count.textContent =
      found.length > shown.length ? `${all}; the first ${shown.length} in this order are shown.` : `${all}.`;
    for (const header of headers) {
      if (header.dataset.column === name) {
        header.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
      } else {
        header.removeAttribute("aria-sort");
      }
    }
    if (open && shown.length === 1) toggle(body.rows[0].querySelector("button"), shown[0]);
  }

  function line(row) {
    const line = document.createElement("tr");
    if (!row.fits) line.className = "infeasible";
    columns.forEach((name, index) => {
      const cell = line.insertCell();
      cell.style.textAlign = headers[index].style.textAlign;
      if (index === 0) cell.append(opener(row));
      else if (name === "batch" || name === "holds") cell.textContent = grouped(row[name]);
      else if (typeof row[name] === "number") cell.textContent = digits(row[name]);
      else cell.textContent = row[name] ?? "–";
    });
    return line;
  }

  function opener(row) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = row.model;
    button.setAttribute("aria-expanded", "false");
    button.addEventListener("click", () => toggle(button, row));
    return button;
  }

  /* ---- One configuration ---- */

  function toggle(button, row) {
    const line = button.closest("tr");
    const open = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!open));
    if (open) {
      line.nextElementSibling.remove();
      return;
    }
    const detail = document.createElement("tr");
    detail.className = "detail";
    const cell = detail.insertCell();
    cell.colSpan = columns.length;
    const inner = document.createElement("div");
    inner.append(...details(row));
    cell.append(inner);
    line.after(detail);
  }

  function details(row) {
    const spread = data.spreads.find(([id]) => id === row.l);
    const shape = data.workloads.find(([id]) => id === row.s);
    const degrees = spread[4] === 1 ? `--tp ${spread[3]}` : `--gpus ${spread[2]} --tp ${spread[3]} --ep ${spread[4]}`;
    const id = `playground/${row.m}/${row.a}/${row.l}/${row.f}/b${row.b}/${row.s}`;
    const facts = paragraph(
      `${shape[1]}: ${grouped(shape[2])} tokens in, ${grouped(shape[3])} out; ${grouped(spread[2])} × ${row.accelerator}, ` +
        `${grouped(row.batch)} at once, ${grouped(row.holds)} would fit. `,
    );
    if (row.usd_decode) facts.append(`Decode alone: ${digits(row.usd_decode)} USD per 1M output tokens. `);
    facts.append(
      link(`${place.dataset.models}${row.m}.html`, row.model),
      " · ",
      link(`${place.dataset.accelerators}${row.a}.html`, row.accelerator),
      " · ",
      link(place.dataset.formulas, "formulas"),
      " · ",
      link(toHash({ ...row, u: "", t: "", fits: row.fits }), "link to this configuration"),
    );
    return [
      facts,
      paragraph("Compute it again:"),
      command(
        `handbook estimate serving --model ${row.m} --accelerator ${row.a} ${degrees} --weights ${row.f} ` +
          `--batch ${row.b} --input ${shape[2]} --output ${shape[3]}`,
      ),
      paragraph("See every formula and source behind it:"),
      command(`handbook explain ${id}`),
    ];
  }

  function paragraph(text) {
    const part = document.createElement("p");
    part.append(text);
    return part;
  }

  function link(address, text) {
    const part = document.createElement("a");
    part.href = address;
    part.textContent = text;
    return part;
  }

  function command(text) {
    const part = document.createElement("div");
    part.className = "command";
    const code = document.createElement("code");
    code.textContent = text;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      button.textContent = (await copied(code)) ? "Copied" : "Selected";
    });
    part.append(code, button);
    return part;
  }

  /* Where the clipboard is closed to a page, the text is left selected. */
  async function copied(code) {
    try {
      await navigator.clipboard.writeText(code.textContent);
      return true;
    } catch {
      getSelection().selectAllChildren(code);
      return false;
    }
  }

  /* ---- Start ---- */

  function follow() {
    const given = fromHash();
    if (!given) return false;
    apply(given);
    show(true);
    (body.querySelector(".detail") ?? place).scrollIntoView({ block: "center" });
    return true;
  }

  function begin() {
    apply(new URLSearchParams(data.start));
    show();
  }

  headers.forEach((header) => {
    header.querySelector("button").addEventListener("click", () => {
      const name = header.dataset.column;
      // Rates are looked at from the top, everything else from the bottom.
      const first = ["user", "gpu", "holds"].includes(name) ? `-${name}` : name;
      const other = first.startsWith("-") ? name : `-${name}`;
      order = order === first ? other : first;
      remember();
      show();
    });
  });
  form.addEventListener("input", () => {
    remember();
    show();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    apply(new URLSearchParams(data.start));
    remember();
    show();
  });
  addEventListener("hashchange", () => location.hash === "" ? begin() : follow());

  place.querySelector(".without-scripts").remove();
  form.hidden = box.hidden = false;
  if (!follow()) begin();
})();
