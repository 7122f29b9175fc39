// The line about what the model has got of earlier messages, which shows their quotes when it is opened.

import type { Returned } from "epitome";
import { element } from "./element.js";

/** `name` is the agent that gets it; without one, the model of the page does. */
export function recalledOf({ words, passages }: Returned, name = "The model"): HTMLElement {
  const quotes = passages.flatMap((passage) => passage.quotes.map(({ speaker, text }) => element("li", {}, `${speaker.trim()}: ${text}`)));
  const line = element("summary", {}, `${name} also gets what was said earlier about ${words.join(", ")}`);
  return element("div", { class: "notice recalled" }, element("details", {}, line, element("ul", {}, ...quotes)));
}
