// One line about a compaction, with its summary to open and a way back.

import type { Report } from "epitome";
import { savingOf } from "./amounts.js";
import { element } from "./element.js";

export interface Notice {
  readonly element: HTMLElement;
  /** Another compaction came after it: the way back leads over that one. */
  supersede(): void;
}

export function noticeOf(report: Report, undo: () => void): Notice {
  const line = element("summary", {}, savingOf(report));
  const named = { class: "summary-text", role: "group", "aria-label": "Summary", tabindex: "0" };
  const text = element("div", named, report.summary ?? "");
  const details = element("details", {}, line, text);
  if (report.floor !== undefined) {
    details.append(element("p", { class: "hint" }, `Still above the threshold: ${report.floor}.`));
  }
  details.addEventListener("toggle", () => text.scrollIntoView({ block: "nearest" }));
  const button = element("button", { type: "button" }, "Undo");
  const made = element("div", { class: "notice" }, details, button);
  button.addEventListener("click", () => {
    undo();
    button.remove();
    made.classList.add("undone");
    line.textContent = `Undone: ${savingOf(report)}`;
    line.focus();
  });
  return { element: made, supersede: () => button.remove() };
}
