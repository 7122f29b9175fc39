// The chat log: messages, and notices in between.

import type { SaveState } from "epitome";
import type { ChatMessage } from "./answer.js";
import { element } from "./element.js";
import type { Said } from "./team.js";
import { type Offer, offerOf } from "./versions.js";

const NAMES: Record<ChatMessage["role"], string> = { system: "System", user: "You", assistant: "Model" };

/** What somebody has of a message: nothing, only its summary, or all of it. */
export type Sight = "hidden" | "summarized" | "whole";

export class Transcript {
  readonly #log: HTMLElement;
  readonly #shown = new Map<ChatMessage, HTMLElement>();
  #writing: { bubble: HTMLElement; node: Text } | undefined;

  constructor(log: HTMLElement) {
    this.#log = log;
  }

  add(said: Said): void {
    const bubble = bubbleOf(said);
    this.#shown.set(said.message, bubble);
    this.insert(bubble);
  }

  /** Appends text to the running answer. */
  write(text: string, said: Said): void {
    const follow = this.#isAtEnd();
    if (this.#writing === undefined) {
      const bubble = bubbleOf({ ...said, message: { ...said.message, content: "" } });
      const node = document.createTextNode("");
      bubble.lastElementChild?.append(node);
      // Screen readers announce it when it is complete, not word by word.
      bubble.setAttribute("aria-busy", "true");
      this.#writing = { bubble, node };
      this.#log.append(bubble);
    }
    this.#writing.node.appendData(text);
    if (follow) {
      this.#scroll();
    }
  }

  /** Ends the running answer. */
  finish(message: ChatMessage | undefined): void {
    if (message !== undefined && this.#writing !== undefined) {
      this.#writing.bubble.removeAttribute("aria-busy");
      this.#shown.set(message, this.#writing.bubble);
    }
    this.#writing = undefined;
  }

  /** Adds a notice. */
  insert(notice: HTMLElement): void {
    this.#log.append(notice);
    this.#scroll();
  }

  /** Shows these messages. What it has already stays as far as it is the same, with the notices in between. */
  show(all: readonly Said[]): void {
    this.#writing = undefined;
    const said = all.filter(({ message }) => message.role !== "system");
    const shown = Array.from(this.#shown);
    const different = shown.findIndex(([message], index) => said[index]?.message !== message);
    const same = different < 0 ? shown.length : different;
    const first = same === 0 ? this.#log.querySelector(":scope > :not(.welcome)") : shown[same]?.[1];
    for (let next: Element | null | undefined = first; next; ) {
      const after: Element | null = next.nextElementSibling;
      next.remove();
      next = after;
    }
    shown.slice(same).forEach(([message]) => this.#shown.delete(message));
    said.slice(same).forEach((each) => this.add(each));
  }

  /** Gives the focus to the step to another version of this message, in the same direction if there is one. */
  focusStep(message: ChatMessage | undefined, isLater: boolean): void {
    const steps = (message === undefined ? undefined : this.#shown.get(message))?.querySelectorAll<HTMLButtonElement>(".versions button:enabled");
    steps?.item(isLater ? steps.length - 1 : 0)?.focus();
  }

  /** Puts below each message what may be done with it. */
  offer(offerOn: (message: ChatMessage) => Offer): void {
    for (const [message, bubble] of this.#shown) {
      const { key, create } = offerOf(offerOn(message), message, bubble);
      const before = bubble.querySelector(":scope > .offer");
      if (before?.getAttribute("data-key") === key) {
        continue;
      }
      const offer = create();
      offer.dataset["key"] = key;
      if (before === null) {
        bubble.append(offer);
      } else {
        before.replaceWith(offer);
      }
    }
  }

  /** Marks what somebody has of each message, with words for it behind the name of its author. */
  mark(sightOf: (message: ChatMessage) => Sight, words: Partial<Record<Sight, string>>): void {
    for (const [message, bubble] of this.#shown) {
      const sight = sightOf(message);
      bubble.classList.toggle("past", sight === "summarized");
      bubble.classList.toggle("unseen", sight === "hidden");
      const [author, word] = [bubble.firstElementChild, words[sight]];
      if (word === undefined) {
        author?.removeAttribute("data-sight");
      } else {
        author?.setAttribute("data-sight", word);
      }
    }
  }

  /** Says of each message that is not stored that it is not, with words for it. */
  markStored(unstored: ReadonlyMap<ChatMessage, SaveState>, words: Partial<Record<SaveState, string>>): void {
    for (const [message, bubble] of this.#shown) {
      const word = words[unstored.get(message) ?? "saved"];
      if (word === undefined) {
        bubble.firstElementChild?.removeAttribute("data-stored");
      } else {
        bubble.firstElementChild?.setAttribute("data-stored", word);
      }
    }
  }

  #isAtEnd(): boolean {
    const { scrollHeight, scrollTop, clientHeight } = this.#log;
    return scrollHeight - scrollTop - clientHeight < 80;
  }

  #scroll(): void {
    this.#log.scrollTop = this.#log.scrollHeight;
  }
}

function bubbleOf({ message: { role, content, name }, only }: Said): HTMLElement {
  const who = element("h2", {}, name ?? NAMES[role]);
  if (only !== undefined) {
    who.append(element("span", { class: "only" }, ` · only for ${only.join(", ")}`));
  }
  const text = element("div", { class: "text" }, content);
  return element("article", { class: only === undefined ? `bubble ${role}` : `bubble ${role} private` }, who, text);
}
