// The meter: a bar and a text about how full the window is, and what the summary will free that is written in advance.

import type { Level, Status } from "epitome";
import { element } from "./element.js";
import { exactly, fillOf } from "./figures.js";
import type { Ghost } from "./preparing.js";

const LEVELS: Record<Level, string> = { ok: "ok", warn: "filling up", compact: "full" };

export interface Meter {
  show(status: Status, ghost?: Ghost): void;
}

/** `label` names the window that it is about. */
export function meterIn(parent: HTMLElement, label = "Context window"): Meter {
  const fill = element("div", { class: "fill" });
  const threshold = element("div", { class: "threshold" });
  const freed = element("div", { class: "freed" });
  const bar = element("div", { class: "bar" }, fill, freed, threshold);
  const level = element("span", { class: "level" });
  const amount = element("span", { class: "amount" });
  const next = element("span", { class: "next" });
  const words = element("div", { class: "words", "aria-hidden": "true" }, level, amount, next);
  const meter = element("div", { role: "meter", "aria-label": label, class: "meter" }, bar, words);
  parent.append(meter);
  return {
    show(status, ghost) {
      const share = (tokens: number): string => `${Math.min(100, (tokens / status.window) * 100)}%`;
      meter.dataset["level"] = status.level;
      meter.setAttribute("aria-valuemin", "0");
      meter.setAttribute("aria-valuemax", String(status.window));
      meter.setAttribute("aria-valuenow", String(Math.min(status.tokens, status.window)));
      meter.setAttribute("aria-valuetext", [LEVELS[status.level], fillOf(status), ...(ghost === undefined ? [] : [wordsOf(ghost)])].join(", "));
      fill.style.inlineSize = share(status.tokens);
      threshold.hidden = status.threshold === undefined;
      threshold.style.insetInlineStart = share(status.threshold ?? 0);
      freed.hidden = ghost === undefined;
      freed.dataset["preparation"] = ghost?.preparation ?? "";
      freed.style.insetInlineStart = share(status.tokens - (ghost?.frees ?? 0));
      freed.style.inlineSize = share(ghost?.frees ?? 0);
      next.hidden = ghost === undefined;
      next.textContent = ghost === undefined ? "" : wordsOf(ghost);
      level.textContent = LEVELS[status.level];
      amount.textContent = fillOf(status);
    },
  };
}

function wordsOf({ preparation, frees }: Ghost): string {
  const amount = `frees about ${exactly(frees)} tokens`;
  return preparation === "writing" ? `next summary being written, ${amount}` : `next summary ready, ${amount}`;
}
