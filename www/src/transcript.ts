// The chat log: messages, and notices in between.

import type { ChatMessage } from "./answer.js";
import { element } from "./element.js";

const NAMES: Record<ChatMessage["role"], string> = { system: "System", user: "You", assistant: "Model" };

export class Transcript {
  readonly #log: HTMLElement;
  readonly #shown = new Map<ChatMessage, HTMLElement>();
  #writing: { bubble: HTMLElement; node: Text } | undefined;

  constructor(log: HTMLElement) {
    this.#log = log;
  }

  add(message: ChatMessage): void {
    const bubble = bubbleOf(message.role, message.content);
    this.#shown.set(message, bubble);
    this.insert(bubble);
  }

  /** Appends text to the running answer. */
  write(text: string): void {
    const follow = this.#isAtEnd();
    if (this.#writing === undefined) {
      const bubble = bubbleOf("assistant", "");
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

  /** Shows other messages in place of all that it has. */
  show(messages: readonly ChatMessage[]): void {
    this.#writing = undefined;
    this.#shown.clear();
    this.#log.querySelectorAll(":scope > :not(.welcome)").forEach((shown) => shown.remove());
    for (const message of messages) {
      if (message.role !== "system") {
        this.add(message);
      }
    }
  }

  /** Marks the messages that are not sent to the model any more. */
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
