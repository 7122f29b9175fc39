// The line about a compaction, which shows its summary when it is opened, and can undo it.

import type { Report } from "epitome";
import { savingOf } from "./figures.js";
import { element } from "./element.js";

export interface Notice {
  readonly element: HTMLElement;
  /** Removes the undo button, because only the latest compaction can be undone. */
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
  const notice = element("div", { class: "notice" }, details, button);
  button.addEventListener("click", () => {
    undo();
    button.remove();
    notice.classList.add("undone");
    line.textContent = `Undone: ${savingOf(report)}`;
    line.focus();
  });
  return { element: notice, supersede: () => button.remove() };
}
