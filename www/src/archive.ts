// The dialog with all conversations and the space that they take, and a search in what the model does not get any more in this one.

import { persistStorage } from "epitome/storage";
import type { ChatMessage } from "./answer.js";
import { element, elementById } from "./element.js";
import { bytesOf } from "./figures.js";
import { saveFile } from "./file.js";
import { conversations, importArchive, type Kept, type Listed, remove } from "./kept.js";

/** Makes the button open the dialog. `restore` is called with a message that the model is to get again. */
export function archiveOf(kept: Kept, restore: (message: ChatMessage) => void): void {
  const dialog = elementById("archive", HTMLDialogElement);
  const list = elementById("conversations", HTMLElement);
  const space = elementById("space", HTMLElement);
  const persist = elementById("persist", HTMLButtonElement);
  const file = elementById("archive-file", HTMLInputElement);
  const query = elementById("query", HTMLInputElement);
  const found = elementById("found", HTMLElement);

  const show = async (): Promise<void> => {
    const known = await conversations().catch(() => undefined);
    const rows = known?.list.map((each) => rowOf(each, each.id === kept.id, freed)) ?? [];
    list.replaceChildren(element("li", {}, element("a", { href: "#" }, "New conversation")), ...rows);
    space.textContent = known === undefined ? "Nothing can be stored in this browser." : spaceOf(known.use);
    persist.hidden = known?.use.isPersisted !== false;
  };

  const freed = async ({ id, bytes }: Listed): Promise<void> => {
    await remove(id);
    if (id === kept.id) {
      return location.assign("#");
    }
    await show();
    space.textContent += ` ${bytesOf(bytes)} are free again.`;
    elementById("archive-close", HTMLButtonElement).focus();
  };

  elementById("archive-open", HTMLButtonElement).addEventListener("click", async () => {
    found.replaceChildren();
    await show();
    dialog.showModal();
  });
  elementById("archive-close", HTMLButtonElement).addEventListener("click", () => dialog.close());
  persist.addEventListener("click", async () => {
    const agrees = await persistStorage();
    await show();
    space.textContent += agrees ? " The browser deletes nothing of it." : " The browser does not promise to keep it.";
  });
  elementById("export", HTMLButtonElement).addEventListener("click", () => void download(kept));
  elementById("import", HTMLButtonElement).addEventListener("click", () => file.click());
  file.addEventListener("change", async () => {
    const [chosen] = file.files ?? [];
    file.value = "";
    if (chosen !== undefined) {
      const taken = await importArchive(await chosen.text()).catch((error: unknown) => void (space.textContent = `${chosen.name} is no archive: ${String(error)}`));
      if (taken?.isWhole === true && !taken.isEmpty) {
        location.assign(`#${encodeURIComponent(taken.id)}`);
      } else if (taken !== undefined) {
        await show();
        space.textContent = `${chosen.name} is damaged or cut off: ${taken.isEmpty ? "nothing of it" : "not all of it"} could be read.`;
      }
    }
  });

  elementById("search", HTMLFormElement).addEventListener("submit", async (event) => {
    event.preventDefault();
    const { passages } = await kept.compactor.recall(query.value);
    const rows = passages.flatMap(({ quotes }) =>
      quotes.map(({ id, speaker, text }) => {
        const again = element("button", { type: "button", class: "slight" }, "Give it to the model again");
        again.disabled = kept.role() !== "writer";
        again.addEventListener("click", () => {
          dialog.close();
          const message = kept.compactor.message(id);
          if (message !== undefined) {
            restore(message);
          }
        });
        return element("li", {}, element("span", {}, `${speaker.trim()}: ${text}`), again);
      }),
    );
    found.replaceChildren(...(rows.length > 0 ? rows : [element("li", {}, "None of the messages that the model does not get any more fits.")]));
  });

  // Each conversation has a page of its own.
  addEventListener("hashchange", () => location.reload());
}

/** Saves the conversation as a file. */
export async function download(kept: Kept): Promise<void> {
  saveFile(kept.id, await kept.archive());
}

function rowOf(listed: Listed, isOpen: boolean, free: (listed: Listed) => Promise<void>): HTMLElement {
  const { id, title, bytes } = listed;
  const link = element("a", { href: `#${encodeURIComponent(id)}`, ...(isOpen && { "aria-current": "page" }) }, title === "" ? "Nothing said yet" : title);
  const button = element("button", { type: "button", class: "slight", "aria-label": `Delete ${title}, which frees ${bytesOf(bytes)}` }, "Delete");
  button.addEventListener("click", () => void free(listed));
  return element("li", {}, element("span", {}, link, element("span", { class: "hint" }, ` ${id.slice(0, 16)}, ${bytesOf(bytes)}`)), button);
}

function spaceOf({ usedBytes, quotaBytes }: { readonly usedBytes: number | undefined; readonly quotaBytes: number | undefined }): string {
  return usedBytes === undefined || quotaBytes === undefined ? "" : `${bytesOf(usedBytes)} of ${bytesOf(quotaBytes)} are used.`;
}
