// What was said, from top to bottom, with what happened in between.

import type { ChatMessage } from "./answer.js";
import { element } from "./element.js";

const NAMES: Record<ChatMessage["role"], string> = { system: "System", user: "You", assistant: "Model" };

export class Transcript {
  readonly #log: HTMLElement;
  readonly #shown = new Map<ChatMessage, HTMLElement>();
  #writing: { bubble: HTMLElement; text: Text } | undefined;

  constructor(log: HTMLElement) {
    this.#log = log;
  }

  add(message: ChatMessage): void {
    const bubble = bubbleOf(message.role, message.content);
    this.#shown.set(message, bubble);
    this.insert(bubble);
  }

  /** Adds a piece to the answer that is being written. */
  write(piece: string): void {
    const follow = this.#isAtEnd();
    if (this.#writing === undefined) {
      const bubble = bubbleOf("assistant", "");
      const text = document.createTextNode("");
      bubble.lastElementChild?.append(text);
      // Read out when it is complete, and not word by word.
      bubble.setAttribute("aria-busy", "true");
      this.#writing = { bubble, text };
      this.#log.append(bubble);
    }
    this.#writing.text.appendData(piece);
    if (follow) {
      this.#scroll();
    }
  }

  /** Ends the answer that is being written. */
  finish(message: ChatMessage | undefined): void {
    if (message !== undefined && this.#writing !== undefined) {
      this.#writing.bubble.removeAttribute("aria-busy");
      this.#shown.set(message, this.#writing.bubble);
    }
    this.#writing = undefined;
  }

  /** Adds anything else. */
  insert(anything: HTMLElement): void {
    this.#log.append(anything);
    this.#scroll();
  }

  /** Marks the messages that a summary stands for. */
  mark(view: ReadonlySet<ChatMessage>): void {
    for (const [message, bubble] of this.#shown) {
      bubble.classList.toggle("past", !view.has(message));
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

function bubbleOf(role: ChatMessage["role"], content: string): HTMLElement {
  const who = element("h2", {}, NAMES[role]);
  const text = element("div", { class: "text" }, content);
  return element("article", { class: `bubble ${role}` }, who, text);
}
