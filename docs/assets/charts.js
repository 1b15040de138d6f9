/* Values of all series at one point of a chart: under the pointer, under a finger, or with the arrow keys.

   A figure carries `data-chart`, JSON in the units of the SVG's view box:
     box     [left, top, right, bottom] of the plotting area
     x       {label, values}            values may be numbers or names
     px      [horizontal position of each value]
     series  [{name, values, py, color, px?, text?, low?, high?}]
   `py` is null where a series has no point, `color` the name of a CSS variable, `text` the values ready to print,
   `px` the positions of a series that does not share those of the others. */
(() => {
  "use strict";

  const SVG = "http://www.w3.org/2000/svg";
  const THIN_SPACE = "\u202f";
  const BESIDE_CURSOR_PX = 12;

  function printed(value) {
    if (value === null || value === undefined) return "–";
    if (typeof value === "string") return value;
    const size = Math.abs(value);
    if (size !== 0 && (size >= 1e7 || size < 1e-3)) return value.toExponential(2);
    return Number(value.toPrecision(4)).toLocaleString("en").replaceAll(",", THIN_SPACE);
  }

  function printedAt(series, index) {
    if (series.text) return series.text[index] ?? "–";
    const value = printed(series.values[index]);
    if (!series.low || series.low[index] === null) return value;
    return `${value} (${printed(series.low[index])}–${printed(series.high[index])})`;
  }

  function element(tag, className, text = "") {
    const made = document.createElement(tag);
    made.className = className;
    made.textContent = text;
    return made;
  }

  function drawn(svg, tag, attributes) {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.style.display = "none";
    svg.append(made);
    return made;
  }

  function row(series, index) {
    const line = element("div", "chart-values-row");
    const mark = element("span", "", "●");
    mark.setAttribute("aria-hidden", "true");
    mark.style.color = `var(${series.color})`;
    line.append(mark, element("span", "", series.name), element("b", "", printedAt(series, index)));
    return line;
  }

  function start(figure) {
    const chart = JSON.parse(figure.dataset.chart);
    const svg = figure.querySelector("svg");
    const view = svg.viewBox.baseVal;
    const [, top, , bottom] = chart.box;
    const last = chart.px.length - 1;
    const cursor = drawn(svg, "line", { class: "chart-cursor", y1: top, y2: bottom });
    const dots = chart.series.map((series) => {
      const dot = drawn(svg, "circle", { class: "chart-dot", r: 4 });
      dot.style.fill = `var(${series.color})`;
      return dot;
    });
    const values = element("div", "chart-values");
    values.setAttribute("role", "status");
    figure.append(values);
    svg.setAttribute("tabindex", "0");
    let shown = 0;

    function show(index) {
      shown = Math.max(0, Math.min(last, index));
      const x = chart.px[shown];
      cursor.setAttribute("x1", x);
      cursor.setAttribute("x2", x);
      cursor.style.display = "";
      chart.series.forEach((series, i) => {
        const y = series.py[shown];
        dots[i].style.display = y === null || y === undefined ? "none" : "";
        dots[i].setAttribute("cx", series.px ? series.px[shown] : x);
        dots[i].setAttribute("cy", y ?? 0);
      });
      const heading = `${chart.x.label}: ${printed(chart.x.values[shown])}`;
      values.replaceChildren(
        element("div", "chart-values-x", heading),
        ...chart.series.map((series) => row(series, shown)),
      );
      placeBeside(x);
    }

    function placeBeside(x) {
      const area = svg.getBoundingClientRect();
      const scale = area.width / view.width;
      const cursorAt = (x - view.x) * scale;
      const room = figure.clientWidth + figure.scrollLeft;
      const right = cursorAt + BESIDE_CURSOR_PX;
      const left = cursorAt - BESIDE_CURSOR_PX - values.offsetWidth;
      const fitsRight = right + values.offsetWidth <= room;
      const inside = Math.max(figure.scrollLeft, Math.min(left, room - values.offsetWidth));
      values.style.left = `${fitsRight ? right : inside}px`;
      values.style.top = `${(top - view.y) * scale}px`;
    }

    function hide() {
      values.replaceChildren();
      for (const mark of [cursor, ...dots]) mark.style.display = "none";
    }

    function nearest(clientX) {
      const area = svg.getBoundingClientRect();
      const x = view.x + ((clientX - area.left) / area.width) * view.width;
      const distance = (i) => Math.abs(chart.px[i] - x);
      return chart.px.reduce((best, _, i) => (distance(i) < distance(best) ? i : best), 0);
    }

    const keys = {
      ArrowRight: () => show(shown + 1),
      ArrowLeft: () => show(shown - 1),
      Home: () => show(0),
      End: () => show(last),
      Escape: hide,
    };
    svg.addEventListener("keydown", (event) => {
      if (!(event.key in keys)) return;
      keys[event.key]();
      event.preventDefault();
    });
    svg.addEventListener("focus", () => svg.matches(":focus-visible") && show(shown));
    svg.addEventListener("blur", hide);
    svg.addEventListener("pointermove", (event) => show(nearest(event.clientX)));
    svg.addEventListener("pointerdown", (event) => show(nearest(event.clientX)));
    svg.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && hide());
    document.addEventListener("pointerdown", (event) => !figure.contains(event.target) && hide());
  }

  document.querySelectorAll("figure[data-chart]").forEach(start);
})();
