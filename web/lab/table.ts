// The table: a row for each strategy.

import { element } from "./element.js";
import type { BreakEven } from "./costs.js";
import { type Comparison, dollars, type Figures } from "./figures.js";
import { plural, t, written } from "../language.js";

interface Column {
  title: string;
  /** What the column is, in a sentence. */
  about: string;
  write(row: Figures, comparison: Comparison): string;
}

export const COLUMNS: readonly Column[] = [
  {
    title: t("Refused"),
    about: t("Requests that break a rule of the provider or are longer than the window."),
    write: ({ refused, sent }) => t("{part} of {all}", { part: written(refused), all: written(sent.length) }),
  },
  { title: t("Tokens sent"), about: t("Of all requests."), write: ({ tokens }) => written(tokens) },
  { title: t("Largest"), about: t("Tokens of the largest request."), write: ({ largest }) => written(largest) },
  {
    title: t("Cached"),
    about: t("How much of the tokens sent the provider’s cache has from the request before."),
    write: ({ tokens, cachedTokens }) => t("{number} %", { number: Math.round((100 * cachedTokens) / Math.max(tokens, 1)) }),
  },
  { title: t("Summaries"), about: t("How many were written."), write: ({ summaries }) => written(summaries) },
  {
    title: t("Summary tokens"),
    about: t("What a model would have read and written for the summaries."),
    write: ({ summaryTokens }) => written(summaryTokens),
  },
  {
    title: t("Cost"),
    about: t("Of all requests and summaries, without the answers."),
    write: ({ costs }) => (costs === undefined ? "–" : dollars(costs.at(-1) ?? 0)),
  },
  {
    title: t("Break-even"),
    about: t("The request from which on it has cost less than doing nothing; – where one of the two is refused before that."),
    write: ({ breakEven }) => breakEvenIn(breakEven),
  },
  {
    title: t("Facts kept"),
    about: t("Facts of the conversation that the last request still has word for word."),
    write: ({ facts, failure }, comparison) =>
      failure === undefined ? t("{part} of {all}", { part: written(facts), all: written(comparison.facts) }) : "–",
  },
];

function breakEvenIn(breakEven: BreakEven): string {
  if (breakEven === "never") {
    return t("never");
  }
  return breakEven === undefined ? "–" : t("request {number}", { number: breakEven });
}

/** The table of these figures. */
export function tableOf(figures: readonly Figures[], comparison: Comparison): HTMLElement {
  const titles = COLUMNS.map(({ title, about }) => element("th", { scope: "col", title: about }, title));
  const head = element("thead", {}, element("tr", {}, element("th", { scope: "col" }, t("Strategy")), ...titles));
  const rows = figures.map((row, index) => rowOf(row, index, comparison));
  const caption = element("caption", { class: "visually-hidden" }, t("Strategies compared"));
  const table = element("table", { class: "lab-table" }, caption, head, element("tbody", {}, ...rows));
  // On a narrow screen it is scrolled, which takes keys only if it can have the focus.
  return element("div", { class: "lab-table-frame", tabindex: "0", role: "region", "aria-label": t("The table") }, table);
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
      const request = t("request {number}", { number: first });
      const which = count === 1 ? request : t("{requests}, the first is {first}", { requests: plural(count, "request", "requests"), first });
      return element("li", {}, element("strong", {}, name), `: ${reason} – ${which}`);
    }),
    ...(failure === undefined ? [] : [element("li", {}, element("strong", {}, name), ` ${t("ended early: {failure}", { failure })}`)]),
  ]);
  if (items.length === 0) {
    return undefined;
  }
  const title = element("h4", {}, t("What a provider would refuse"));
  return element("div", { class: "lab-refusals" }, title, element("ul", { "aria-label": t("What a provider would refuse") }, ...items));
}
