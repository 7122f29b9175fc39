// Whom the next message is for, and who answers it. Shown once there are agents.

import type { Addressed } from "./conversation.js";
import { element, elementById } from "./element.js";

/** Names have no white space, so that none of them is one of these. */
const [MODEL, NOBODY] = [" model", " nobody"];

export class Addressing {
  readonly #place = elementById("addressing", HTMLElement);
  readonly #only = elementById("only", HTMLElement);
  readonly #words = elementById("only-words", HTMLElement);
  readonly #by = elementById("by", HTMLSelectElement);
  #names: readonly string[] = [];

  constructor() {
    this.#only.addEventListener("change", () => this.#changed());
  }

  /** Lets the user choose among these agents. */
  show(names: readonly string[]): void {
    if (names.join("\n") === this.#names.join("\n")) {
      return;
    }
    const { only } = this.get();
    const by = this.#by.value;
    this.#names = names;
    this.#place.hidden = names.length === 0;
    this.#only.replaceChildren(
      ...names.map((name) => {
        const box = element("input", { type: "checkbox", value: name });
        box.checked = only.includes(name);
        return element("label", {}, box, name);
      }),
    );
    const option = (value: string, text = value): HTMLElement => element("option", { value }, text);
    this.#by.replaceChildren(option(MODEL, "Model"), ...names.map((name) => option(name)), option(NOBODY, "Nobody"));
    this.#by.value = by === "" ? MODEL : by;
    this.#changed();
  }

  get(): Addressed {
    const by = this.#by.value;
    return { only: this.#checked(), by: by === NOBODY ? null : this.#names.find((name) => name === by) };
  }

  #checked(): string[] {
    return Array.from(this.#only.querySelectorAll<HTMLInputElement>(":checked"), ({ value }) => value);
  }

  /** Only who gets the message can answer it. */
  #changed(): void {
    const only = this.#checked();
    const canAnswer = (value: string): boolean => only.length === 0 || only.includes(value) || value === NOBODY;
    for (const option of this.#by.options) {
      option.disabled = !canAnswer(option.value);
    }
    if (!canAnswer(this.#by.value)) {
      this.#by.value = only[0] ?? MODEL;
    }
    this.#words.textContent = only.length === 0 ? "Everyone gets it." : "Nobody else gets it.";
  }
}
