// The meter: a bar and a text about how full the window is.

import type { Level, Status } from "epitome";
import { fillOf } from "./figures.js";
import { element } from "./element.js";

const LEVELS: Record<Level, string> = { ok: "ok", warn: "filling up", compact: "full" };

export interface Meter {
  show(status: Status): void;
}

export function meterIn(parent: HTMLElement): Meter {
  const fill = element("div", { class: "fill" });
  const threshold = element("div", { class: "threshold" });
  const bar = element("div", { class: "bar" }, fill, threshold);
  const level = element("span", { class: "level" });
  const amount = element("span", { class: "amount" });
  const words = element("div", { class: "words", "aria-hidden": "true" }, level, amount);
  const meter = element("div", { role: "meter", "aria-label": "Context window", class: "meter" }, bar, words);
  parent.append(meter);
  return {
    show(status) {
      const share = (tokens: number): string => `${Math.min(100, (tokens / status.window) * 100)}%`;
      meter.dataset["level"] = status.level;
      meter.setAttribute("aria-valuemin", "0");
      meter.setAttribute("aria-valuemax", String(status.window));
      meter.setAttribute("aria-valuenow", String(Math.min(status.tokens, status.window)));
      meter.setAttribute("aria-valuetext", `${LEVELS[status.level]}, ${fillOf(status)}`);
      fill.style.inlineSize = share(status.tokens);
      threshold.hidden = status.threshold === undefined;
      threshold.style.insetInlineStart = share(status.threshold ?? 0);
      level.textContent = LEVELS[status.level];
      amount.textContent = fillOf(status);
    },
  };
}
