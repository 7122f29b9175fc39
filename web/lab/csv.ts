// The figures of every request as CSV. It has no text of the conversation.

import type { Figures } from "./figures.js";

const COLUMNS = [
  "strategy",
  "request",
  "messages",
  "tokens",
  "cached_tokens",
  "refused_rule",
  "refused_path",
  "over_window",
  "summaries",
  "summary_tokens_read",
  "summary_tokens_written",
  "cost_so_far_usd",
];

/** One line for each request of each strategy. */
export function csvOf(figures: readonly Figures[]): string {
  const rows = figures.flatMap(({ name, sent, costs }) =>
    sent.map(({ messages, tokens, cachedTokens, refusal, isOverWindow, summaries }, index) => [
      name,
      index + 1,
      messages,
      tokens,
      cachedTokens,
      refusal?.rule ?? "",
      refusal?.path ?? "",
      isOverWindow,
      summaries.length,
      summaries.reduce((sum, { readTokens }) => sum + readTokens, 0),
      summaries.reduce((sum, { writtenTokens }) => sum + writtenTokens, 0),
      costs?.[index]?.toFixed(6) ?? "",
    ]),
  );
  return [COLUMNS, ...rows].map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

function cell(value: string | number | boolean): string {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
