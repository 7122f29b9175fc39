// The charts and the table as a picture, in the colours of the page. It has no text of the conversation.

import { chartsOf } from "./charts.js";
import type { Comparison, Figures } from "./figures.js";
import { type Shape, shapesOf } from "./plot.js";
import { COLUMNS } from "./table.js";
import { plural, t, written } from "../language.js";

const WIDTH = 1400;
const CHART = { width: 676, height: 300 };
const MARGIN = 24;
const LINE = 28;
const FIRST_COLUMN = 270;
const FONT = "system-ui, sans-serif";
/** Pixels of the picture for each of the layout, so that it is sharp on dense screens. */
const DENSITY = 2;

type Colour = (name: string) => string;

/** Draws the picture. `place` has the colours. */
export async function pictureOf(figures: readonly Figures[], comparison: Comparison, model: string, place: Element): Promise<Blob> {
  const style = getComputedStyle(place);
  const colour: Colour = (name) => style.getPropertyValue(name).trim();
  const charts = chartsOf(figures, comparison.window);
  const tableTop = MARGIN + LINE + CHART.height + LINE * 2;
  const height = tableTop + LINE * (figures.length + 1) + MARGIN;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [WIDTH * DENSITY, height * DENSITY];
  const context = canvas.getContext("2d");
  if (context === null) {
    throw new Error(t("the browser draws no pictures"));
  }
  context.scale(DENSITY, DENSITY);
  context.fillStyle = colour("--card");
  context.fillRect(0, 0, WIDTH, height);
  const { requests, window } = comparison;
  const counted = plural(requests, "request", "requests");
  const title = t("{requests}, a window of {window} tokens, prices of {model}", { requests: counted, window: written(window), model });
  write(context, title, MARGIN, MARGIN + 4, "start", colour("--soft"));
  for (const [index, chart] of charts.entries()) {
    context.save();
    context.translate(MARGIN + index * CHART.width, MARGIN + LINE);
    write(context, chart.title, 0, 8, "start", colour("--ink"), 600);
    context.translate(0, LINE / 2);
    for (const shape of shapesOf(chart, CHART.width, CHART.height)) draw(context, shape, colour);
    context.restore();
  }
  drawTable(context, figures, comparison, tableTop, colour);
  return encoded(canvas);
}

function drawTable(
  context: CanvasRenderingContext2D,
  figures: readonly Figures[],
  comparison: Comparison,
  top: number,
  colour: Colour,
): void {
  const width = (WIDTH - 2 * MARGIN - FIRST_COLUMN) / COLUMNS.length;
  const right = (column: number) => MARGIN + FIRST_COLUMN + width * (column + 1);
  for (const [column, { title }] of COLUMNS.entries()) {
    write(context, title, right(column), top, "end", colour("--soft"));
  }
  for (const [index, row] of figures.entries()) {
    const y = top + LINE * (index + 1);
    context.fillStyle = colour(`--lab-${index}`);
    context.fillRect(MARGIN, y - 9, 16, 9);
    write(context, row.name, MARGIN + 24, y, "start", colour("--ink"));
    for (const [column, { write: words }] of COLUMNS.entries()) {
      const isBad = column === 0 && row.refused > 0;
      write(context, words(row, comparison), right(column), y, "end", colour(isBad ? "--error" : "--ink"), isBad ? 600 : 400);
    }
  }
}

function write(
  context: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  align: "start" | "end",
  fill: string,
  weight = 400,
): void {
  context.font = `${weight} 13px ${FONT}`;
  // The places are those from left to right, whatever the direction of the words.
  context.direction = document.dir === "rtl" ? "rtl" : "ltr";
  context.textAlign = align === "start" ? "left" : "right";
  context.fillStyle = fill;
  context.fillText(text, x, y);
}

function draw(context: CanvasRenderingContext2D, shape: Shape, colour: Colour): void {
  switch (shape.kind) {
    case "grid":
    case "limit":
      context.setLineDash(shape.kind === "limit" ? [6, 4] : []);
      return stroke(context, [shape.from, shape.to], colour(shape.kind === "limit" ? "--error" : "--line"), 1);
    case "series":
      context.setLineDash([]);
      return stroke(context, shape.points, colour(`--lab-${shape.series}`), 2);
    case "mark":
      context.fillStyle = colour("--error");
      context.beginPath();
      context.arc(...shape.at, 3.5, 0, 2 * Math.PI);
      return context.fill();
    case "words":
      return write(context, shape.text, ...shape.at, shape.anchor, colour(`--${shape.tone}`));
  }
}

function stroke(context: CanvasRenderingContext2D, points: readonly (readonly [number, number])[], colour: string, width: number): void {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.beginPath();
  for (const point of points) context.lineTo(...point);
  context.stroke();
}

function encoded(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob === null ? reject(new Error(t("the browser could not write the picture"))) : resolve(blob)), "image/png");
  });
}

/** Saves a file. */
export function save(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
