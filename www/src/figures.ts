// Token counts, savings and sizes in words.

import type { PreparedUse, Report, Status } from "epitome";

const exact = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** `12,300`. */
export function exactly(number: number): string {
  return exact.format(number);
}

/** `12.3k`; below 1,000 the number itself. */
export function shortTokens(tokens: number): string {
  return short.format(tokens).toLowerCase();
}

const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];

/** `12.3 kB`. */
export function bytesOf(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const options = { style: "unit", unit: units[power] ?? "byte", maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat("en", options).format(bytes / 1_000 ** power);
}

/** `about 1,240 of 2,000 tokens, 62 %`. */
export function fillOf({ tokens, window, fill, exact: counted }: Status): string {
  const about = counted ? "" : "about ";
  return `${about}${exact.format(tokens)} of ${exact.format(window)} tokens, ${Math.round(fill * 100)} %`;
}

/** `Compacted 34 messages, 12.3k → 4.1k tokens (−67 %)`; `Shortened …` if nothing was summarized. */
export function savingOf(report: Report): string {
  const { messagesBefore, messagesAfter, tokensBefore, tokensAfter, reduced } = report;
  // The summary is one of the messages after the compaction.
  const messages = (count: number): string => (count === 1 ? "1 message" : `${exact.format(count)} messages`);
  const done = report.summary === undefined ? `Shortened ${messages(reduced)}` : `Compacted ${messages(messagesBefore - messagesAfter + 1)}`;
  // What is left is more than nothing.
  const saved = Math.min(Math.round((1 - tokensAfter / tokensBefore) * 100), 99);
  const tokens = `${shortTokens(tokensBefore)} → ${shortTokens(tokensAfter)} tokens`;
  return `${done}, ${tokens} (−${saved} %)`;
}

/** `Written in advance; you waited 0 ms for it.` */
export function waitOf(waitedMs: number, used: PreparedUse | undefined): string {
  const waited = waitedMs < 1_000 ? `${exact.format(Math.round(waitedMs))} ms` : `${new Intl.NumberFormat("en", { maximumFractionDigits: 1 }).format(waitedMs / 1_000)} s`;
  const how = { asWritten: "The summary was written in advance: you waited", toppedUp: "Most of the summary was written in advance: you waited" };
  return `${used === undefined ? "You waited" : how[used]} ${waited} for it.`;
}
