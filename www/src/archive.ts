// The dialog with all conversations, and a search in what the model does not get any more in this one.

import type { Compactor } from "epitome";
import { element, elementById } from "./element.js";
import { conversations } from "./kept.js";

/** Makes the button open the dialog. */
export function archiveOf(compactor: Pick<Compactor, "recall">): void {
  const dialog = elementById("archive", HTMLDialogElement);
  const list = elementById("conversations", HTMLElement);
  const search = elementById("search", HTMLFormElement);
  const query = elementById("query", HTMLInputElement);
  const found = elementById("found", HTMLElement);

  elementById("archive-open", HTMLButtonElement).addEventListener("click", async () => {
    const ids = await conversations().catch(() => []);
    list.replaceChildren(
      element("li", {}, element("a", { href: "#" }, "New conversation")),
      ...ids.map((id) => element("li", {}, element("a", { href: `#${encodeURIComponent(id)}` }, id))),
    );
    found.replaceChildren();
    dialog.showModal();
  });

  elementById("archive-close", HTMLButtonElement).addEventListener("click", () => dialog.close());

  search.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { passages } = await compactor.recall(query.value);
    const quotes = passages.flatMap((passage) => passage.quotes.map(({ speaker, text }) => element("li", {}, `${speaker}: ${text}`)));
    found.replaceChildren(...(quotes.length > 0 ? quotes : [element("li", {}, "None of the messages that the model does not get any more fits.")]));
  });

  // Each conversation has a page of its own.
  addEventListener("hashchange", () => location.reload());
}
