// Other versions of a message: answered again, or sent in other words. What was there before stays on a branch, with all that
// followed it.

import type { Compactor } from "epitome";
import type { ChatMessage } from "./answer.js";
import { element } from "./element.js";

/** What a user may do with a message that is shown. */
export interface Offer {
  /** Has it written again: an answer. */
  readonly again?: () => void;
  /** Sends it in other words: what the user has said. */
  readonly reword?: (text: string) => void;
  /** Which of its versions is shown, from 1, of how many; and how another one is. */
  readonly versions?: { readonly shown: number; readonly of: number; readonly show: (version: number) => void };
}

/** The versions of the messages of a conversation. */
export class Versions {
  readonly #compactor: Compactor<ChatMessage>;
  /** The versions of messages that were asked for, by their ids. They only change with a branch. */
  readonly #known = new Map<string, readonly string[]>();

  constructor(compactor: Compactor<ChatMessage>) {
    this.#compactor = compactor;
  }

  /** The ids of the messages that are for all, by the messages as they are now. */
  ids(): Map<ChatMessage, string> {
    const ids = this.#compactor.ids();
    return new Map(this.#compactor.history().map((message, index) => [message, ids[index] ?? ""]));
  }

  /** The versions of a message by its id, the oldest first; undefined if there is only one. */
  of(id: string): { readonly shown: number; readonly ids: readonly string[] } | undefined {
    const ids = this.#known.get(id) ?? this.#compactor.branches(id);
    this.#known.set(id, ids);
    return ids.length < 2 ? undefined : { shown: ids.indexOf(id) + 1, ids };
  }

  /** Leaves a message, and all behind it. */
  leave(id: string): void {
    this.clear();
    const ids = this.#compactor.ids();
    this.#compactor.truncate(ids[ids.indexOf(id) - 1]);
  }

  /** Shows the branch of this version. */
  show(id: string): void {
    this.clear();
    this.#compactor.switchTo(id);
  }

  /** Forgets what it knows: another tab may have changed it. */
  clear(): void {
    this.#known.clear();
  }
}

/** What stands below a message: what may be done with it. `key` says whether it has changed. */
export function offerOf(offer: Offer, message: ChatMessage, bubble: HTMLElement): { readonly key: string; readonly create: () => HTMLElement } {
  const { again, reword, versions } = offer;
  const key = `${again !== undefined} ${reword !== undefined} ${versions?.shown}/${versions?.of}`;
  const create = (): HTMLElement => {
    const buttons: HTMLElement[] = [];
    if (versions !== undefined) {
      buttons.push(stepsOf(versions));
    }
    if (reword !== undefined) {
      const button = slight("Edit");
      button.addEventListener("click", () => edit(bubble, message.content, button, reword));
      buttons.push(button);
    }
    if (again !== undefined) {
      const button = slight("Answer again");
      button.addEventListener("click", again);
      buttons.push(button);
    }
    return element("div", { class: "offer" }, ...buttons);
  };
  return { key, create };
}

/** Two buttons between which the number of the shown version stands. */
function stepsOf({ shown, of, show }: NonNullable<Offer["versions"]>): HTMLElement {
  const step = (sign: string, label: string, version: number): HTMLElement => {
    const button = slight(sign);
    button.setAttribute("aria-label", label);
    button.disabled = version < 1 || version > of;
    button.addEventListener("click", () => show(version));
    return button;
  };
  const steps = [step("‹", "Earlier version", shown - 1), element("span", {}, `${shown} of ${of}`), step("›", "Later version", shown + 1)];
  return element("span", { class: "versions", role: "group", "aria-label": "Versions" }, ...steps);
}

/** Puts a field with the message in the place of its text, until it is sent or not. */
function edit(bubble: HTMLElement, content: string, opener: HTMLElement, send: (text: string) => void): void {
  const [text, offer] = [bubble.querySelector<HTMLElement>(".text"), opener.parentElement];
  const field = element("textarea", { rows: "3", "aria-label": "Your message in other words" }, content);
  const cancel = slight("Cancel");
  const form = element("form", { class: "reword" }, field, element("div", { class: "row" }, element("button", { class: "main slight" }, "Send"), cancel));
  const show = (isEdited: boolean): void => {
    text?.toggleAttribute("hidden", isEdited);
    offer?.toggleAttribute("hidden", isEdited);
  };
  const end = (): void => {
    form.remove();
    show(false);
    opener.focus();
  };
  cancel.addEventListener("click", end);
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      end();
    } else if (event.key === "Enter" && !event.shiftKey && !event.isComposing && event.target === field) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const reworded = field.value.trim();
    if (reworded !== "") {
      send(reworded);
    }
  });
  show(true);
  bubble.append(form);
  field.focus();
  field.setSelectionRange(content.length, content.length);
}

function slight(words: string): HTMLButtonElement {
  return element("button", { type: "button", class: "slight" }, words);
}
