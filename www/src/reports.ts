// What the page says about compactions: one notice each, of which the latest of each view can be undone.

import type { OfAgent, Report } from "epitome";
import { element } from "./element.js";
import { type Notice, noticeOf } from "./notice.js";

export class Reports {
  readonly #insert: (notice: HTMLElement) => void;
  readonly #undo: (name: string | undefined) => void;
  /** The latest notice of each agent, and of the model of the page. */
  readonly #latest = new Map<string | undefined, Notice>();

  /** `insert` shows a notice, and `undo` undoes the latest compaction of a view. */
  constructor(insert: (notice: HTMLElement) => void, undo: (name: string | undefined) => void) {
    this.#insert = insert;
    this.#undo = undo;
  }

  show(report: Report & OfAgent): void {
    if (report.outcome === "applied") {
      const name = report.agent;
      this.#latest.get(name)?.supersede();
      const notice = noticeOf(report, () => this.undo(name));
      this.#latest.set(name, notice);
      return this.#insert(notice.element);
    }
    const role = report.outcome === "failed" ? "alert" : "note";
    this.#insert(element("div", { class: "problem", role }, element("p", {}, explanationOf(report))));
  }

  /** Another branch is shown: a compaction that is not in force there cannot be undone. */
  branchChanged(isCompacted: (name: string | undefined) => boolean): void {
    for (const [name, notice] of this.#latest) {
      if (!isCompacted(name)) {
        notice.supersede();
        this.#latest.delete(name);
      }
    }
  }

  /** Undoes the latest compaction of an agent, or of the model of the page, and says so. */
  undo(name: string | undefined): void {
    this.#undo(name);
    this.#latest.get(name)?.undone();
    this.#latest.delete(name);
  }
}

function explanationOf(report: OfAgent & Exclude<Report, { outcome: "applied" }>): string {
  const of = report.agent === undefined ? "" : ` for ${report.agent}`;
  const whole = report.agent === undefined ? "The conversation" : `The view of ${report.agent}`;
  switch (report.outcome) {
    case "skipped":
      return `Nothing was compacted${of}: ${report.message}.`;
    case "failed":
      return `${whole} could not be compacted: ${report.message}. It is unchanged.`;
    case "cancelled":
      return `The compaction${of} was stopped. ${whole} is unchanged.`;
  }
}
