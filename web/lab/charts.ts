// The two charts: tokens of each request, and what all requests so far have cost.

import { svgElement } from "./element.js";
import { dollars, type Figures, isRefused } from "./figures.js";
import { type Chart, type Shape, shapesOf } from "./plot.js";
import { t, written } from "../language.js";

const HEIGHT = 240;

/** The charts of these figures; the second one only if the model has prices. */
export function chartsOf(figures: readonly Figures[], window: number): Chart[] {
  const marked = ({ sent }: Figures) => sent.map(isRefused);
  const tokens: Chart = {
    title: t("Tokens of each request"),
    series: figures.map((row) => ({ name: row.name, values: row.sent.map((request) => request.tokens), marked: marked(row) })),
    limit: { label: t("window"), value: window },
    write: written,
  };
  const costs: Chart = {
    title: t("Cost so far"),
    series: figures.map((row) => ({ name: row.name, values: row.costs ?? [], marked: [] })),
    write: dollars,
  };
  return figures.some(({ costs: known }) => known !== undefined) ? [tokens, costs] : [tokens];
}

/** Draws a chart into an element, and again whenever the element gets another width. Returns what ends that. */
export function drawChart(place: HTMLElement, chart: Chart): () => void {
  const draw = () => {
    const width = Math.max(place.clientWidth, 240);
    const shapes = shapesOf(chart, width, HEIGHT).map(shapeElement);
    const names = chart.series.map(({ name }) => name).join(", ");
    const label = t("{title}, a line for each of: {names}. The table has the numbers.", { title: chart.title, names });
    const attributes = { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: "img", "aria-label": label };
    place.replaceChildren(svgElement("svg", attributes, ...shapes));
  };
  let width = -1;
  const observer = new ResizeObserver(() => {
    if (place.clientWidth !== width) {
      width = place.clientWidth;
      draw();
    }
  });
  observer.observe(place);
  return () => observer.disconnect();
}

function shapeElement(shape: Shape): SVGElement {
  switch (shape.kind) {
    case "grid":
    case "limit": {
      const [[x1, y1], [x2, y2]] = [shape.from, shape.to];
      return svgElement("line", { x1, y1, x2, y2, class: `lab-${shape.kind}` });
    }
    case "series": {
      const points = shape.points.map((point) => point.join(",")).join(" ");
      return svgElement("polyline", { points, class: "lab-series", "data-series": shape.series });
    }
    case "mark": {
      const [cx, cy] = shape.at;
      return svgElement("circle", { cx, cy, r: 3.5, class: "lab-mark" });
    }
    case "words": {
      const [x, y] = shape.at;
      return svgElement("text", { x, y, "text-anchor": shape.anchor, class: "lab-words", "data-tone": shape.tone }, shape.text);
    }
  }
}
