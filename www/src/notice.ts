// The line about a compaction, which shows its summary when it is opened, and can undo it.

import type { OfAgent, Report } from "epitome";
import { savingOf, waitOf } from "./figures.js";
import { element } from "./element.js";

export interface Notice {
  readonly element: HTMLElement;
  /** Removes the undo button, because only the latest compaction of a view can be undone. */
  supersede(): void;
  /** Says that it was undone. */
  undone(): void;
}

export function noticeOf(report: Report & OfAgent, undo: () => void): Notice {
  const saving = report.agent === undefined ? savingOf(report) : `${report.agent}: ${savingOf(report)}`;
  const line = element("summary", {}, saving);
  const named = { class: "summary-text", role: "group", "aria-label": "Summary", tabindex: "0" };
  const text = element("div", named, report.summary ?? "");
  const details = element("details", {}, line, text);
  if (report.floor !== undefined) {
    details.append(element("p", { class: "hint" }, `Still above the threshold: ${report.floor}.`));
  }
  details.addEventListener("toggle", () => text.scrollIntoView({ block: "nearest" }));
  const button = element("button", { type: "button" }, "Undo");
  const notice = element("div", { class: "notice" }, details, button);
  if (report.waitedMs !== undefined) {
    notice.append(element("p", { class: "hint" }, waitOf(report.waitedMs, report.prepared?.used)));
  }
  button.addEventListener("click", () => {
    undo();
    line.focus();
  });
  return {
    element: notice,
    supersede: () => button.remove(),
    undone() {
      button.remove();
      notice.classList.add("undone");
      line.textContent = `Undone: ${saving}`;
    },
  };
}
