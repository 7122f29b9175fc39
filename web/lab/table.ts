// The table: a row for each strategy.

import { element } from "./element.js";
import { type Comparison, dollars, type Figures, grouped } from "./figures.js";

interface Column {
  title: string;
  /** What the column is, in a sentence. */
  about: string;
  write(row: Figures, comparison: Comparison): string;
}

export const COLUMNS: readonly Column[] = [
  {
    title: "Refused",
    about: "Requests that break a rule of the provider or are longer than the window.",
    write: ({ refused, sent }) => `${grouped(refused)} of ${grouped(sent.length)}`,
  },
  { title: "Tokens sent", about: "Of all requests.", write: ({ tokens }) => grouped(tokens) },
  { title: "Largest", about: "Tokens of the largest request.", write: ({ largest }) => grouped(largest) },
  {
    title: "Cached",
    about: "How much of the tokens sent the provider’s cache has from the request before.",
    write: ({ tokens, cachedTokens }) => `${Math.round((100 * cachedTokens) / Math.max(tokens, 1))} %`,
  },
  { title: "Summaries", about: "How many were written.", write: ({ summaries }) => grouped(summaries) },
  {
    title: "Summary tokens",
    about: "What a model would have read and written for the summaries.",
    write: ({ summaryTokens }) => grouped(summaryTokens),
  },
  {
    title: "Cost",
    about: "Of all requests and summaries, without the answers.",
    write: ({ costs }) => (costs === undefined ? "–" : dollars(costs.at(-1) ?? 0)),
  },
  {
    title: "Break-even",
    about: "The request from which on it has cost less than doing nothing; – where one of the two is refused before that.",
    write: ({ breakEven }) => (typeof breakEven === "number" ? `request ${breakEven}` : (breakEven ?? "–")),
  },
  {
    title: "Facts kept",
    about: "Facts of the conversation that the last request still has word for word.",
    write: ({ facts, failure }, comparison) => (failure === undefined ? `${grouped(facts)} of ${grouped(comparison.facts)}` : "–"),
  },
];

/** The table of these figures. */
export function tableOf(figures: readonly Figures[], comparison: Comparison): HTMLElement {
  const titles = COLUMNS.map(({ title, about }) => element("th", { scope: "col", title: about }, title));
  const head = element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Strategy"), ...titles));
  const rows = figures.map((row, index) => rowOf(row, index, comparison));
  const caption = element("caption", { class: "visually-hidden" }, "Strategies compared");
  const table = element("table", { class: "lab-table" }, caption, head, element("tbody", {}, ...rows));
  // On a narrow screen it is scrolled, which takes keys only if it can have the focus.
  return element("div", { class: "lab-table-frame", tabindex: "0", role: "region", "aria-label": "The table" }, table);
}

function rowOf(row: Figures, index: number, comparison: Comparison): HTMLElement {
  const cells = COLUMNS.map(({ write }, column) => {
    const cell = element("td", {}, write(row, comparison));
    if (column === 0 && row.refused > 0) cell.dataset["verdict"] = "bad";
    return cell;
  });
  const swatch = element("span", { class: "lab-swatch", "data-series": String(index), "aria-hidden": "true" });
  return element("tr", {}, element("th", { scope: "row" }, swatch, row.name), ...cells);
}

/** Why requests are refused, strategy by strategy; undefined if none is. */
export function refusalsOf(figures: readonly Figures[]): HTMLElement | undefined {
  const items = figures.flatMap(({ name, reasons, failure }) => [
    ...reasons.map(({ reason, first, count }) => {
      const which = count === 1 ? `request ${first}` : `${grouped(count)} requests, the first is ${first}`;
      return element("li", {}, element("strong", {}, name), `: ${reason} – ${which}`);
    }),
    ...(failure === undefined ? [] : [element("li", {}, element("strong", {}, name), ` ended early: ${failure}`)]),
  ]);
  if (items.length === 0) {
    return undefined;
  }
  const title = element("h4", {}, "What a provider would refuse");
  return element("div", { class: "lab-refusals" }, title, element("ul", { "aria-label": "What a provider would refuse" }, ...items));
}
