// Where the lines and words of a chart are, for the page and for the picture.

import { t } from "../language.js";

/** A line of a chart. */
export interface Series {
  name: string;
  values: readonly number[];
  /** Which values are marked: requests that are refused. */
  marked: readonly boolean[];
}

/** What a chart shows. */
export interface Chart {
  title: string;
  series: readonly Series[];
  /** A value that is drawn as a limit. */
  limit?: { label: string; value: number };
  /** A value in words. */
  write(value: number): string;
}

type Point = readonly [x: number, y: number];

/** Something to draw, in pixels. */
export type Shape =
  | { kind: "grid" | "limit"; from: Point; to: Point }
  | { kind: "series"; series: number; points: Point[] }
  | { kind: "mark"; at: Point }
  | { kind: "words"; at: Point; anchor: "start" | "end"; text: string; tone: "soft" | "error" };

const MARGIN = { left: 62, right: 10, top: 14, bottom: 24 };
const STEPS = 4;

/** The shapes of a chart of this size. */
export function shapesOf({ series, limit, write }: Chart, width: number, height: number): Shape[] {
  const values = series.flatMap(({ values }) => values);
  const top = rounded(Math.max(limit?.value ?? 0, ...values, Number.MIN_VALUE));
  const count = Math.max(1, ...series.map(({ values }) => values.length));
  const [inner, tall] = [width - MARGIN.left - MARGIN.right, height - MARGIN.top - MARGIN.bottom];
  const x = (index: number) => MARGIN.left + (count === 1 ? 0 : (index / (count - 1)) * inner);
  const y = (value: number) => MARGIN.top + tall * (1 - value / top);
  const shapes: Shape[] = [];
  for (let step = 0; step <= STEPS; step += 1) {
    const value = (top * step) / STEPS;
    shapes.push({ kind: "grid", from: [MARGIN.left, y(value)], to: [width - MARGIN.right, y(value)] });
    shapes.push({ kind: "words", at: [MARGIN.left - 8, y(value) + 4], anchor: "end", text: write(value), tone: "soft" });
  }
  const bottom = height - 6;
  shapes.push({ kind: "words", at: [MARGIN.left, bottom], anchor: "start", text: t("request {number}", { number: 1 }), tone: "soft" });
  shapes.push({ kind: "words", at: [width - MARGIN.right, bottom], anchor: "end", text: String(count), tone: "soft" });
  if (limit !== undefined) {
    shapes.push({ kind: "limit", from: [MARGIN.left, y(limit.value)], to: [width - MARGIN.right, y(limit.value)] });
    shapes.push({ kind: "words", at: [MARGIN.left + 6, y(limit.value) - 4], anchor: "start", text: limit.label, tone: "error" });
  }
  for (const [number, { values }] of series.entries()) {
    shapes.push({ kind: "series", series: number, points: values.map((value, index) => [x(index), y(value)]) });
  }
  for (const { values, marked } of series) {
    for (const [index, value] of values.entries()) {
      if (marked[index] === true) shapes.push({ kind: "mark", at: [x(index), y(value)] });
    }
  }
  return shapes;
}

/** The next value of which the quarters are round numbers. */
function rounded(value: number): number {
  const scale = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 4, 6, 8, 10].find((factor) => factor * scale >= value) ?? 10;
  return step * scale;
}
