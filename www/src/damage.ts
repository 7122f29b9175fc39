// The alert about parts of the conversation that were damaged in the browser's storage, which are there to be downloaded.

import type { Damage } from "epitome/storage";
import { elementById } from "./element.js";
import { saveFile } from "./file.js";
import type { Kept } from "./kept.js";

/** Makes the alert show what was damaged, whenever the returned function is called. */
export function damageOf(kept: Kept): () => Promise<void> {
  const alert = elementById("damage", HTMLElement);
  let damages: readonly Damage[] = [];
  elementById("damage-download", HTMLButtonElement).addEventListener("click", () => {
    const texts = damages.flatMap(({ texts, state }) => [...texts, state]).filter((text) => text !== "");
    saveFile(`${kept.id} damaged`, texts.map((text) => (text.endsWith("\n") ? text : `${text}\n`)).join(""));
  });
  elementById("damage-forget", HTMLButtonElement).addEventListener("click", async () => {
    await kept.forgetDamage();
    alert.hidden = true;
    elementById("text", HTMLTextAreaElement).focus();
  });
  return async () => {
    damages = await kept.damages();
    const words = damages.map(explanationOf).join(" ");
    const text = alert.querySelector("p");
    // A text that is set again is read out again.
    if (text !== null && text.textContent !== words) {
      text.textContent = words;
    }
    alert.hidden = damages.length === 0;
  };
}

function explanationOf({ lost }: Damage): string {
  const what = lost === 0 ? "what this page knew about its size; no message is lost" : `what was saved the last ${lost === 1 ? "time" : `${lost} times`}`;
  return `This conversation was damaged in the browser's storage. It goes on without ${what}.`;
}
