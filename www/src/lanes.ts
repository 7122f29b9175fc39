// The agents of the conversation, one lane each: how full its window is, what it sees, and its own compactions.

import { element, elementById } from "./element.js";
import { exactly } from "./figures.js";
import { type Meter, meterIn } from "./meter.js";
import type { Ghost } from "./preparing.js";
import { spoken, type Team } from "./team.js";

export interface LanesObserver {
  /** The user wants to see what another agent sees, or none. */
  chosen(): void;
  answer(name: string): void;
  compact(name: string): void;
  undo(name: string): void;
}

interface Lane {
  readonly row: HTMLElement;
  readonly choose: HTMLButtonElement;
  readonly meter: Meter;
  readonly sees: HTMLElement;
  readonly compact: HTMLButtonElement;
  readonly undo: HTMLButtonElement;
  readonly answer: HTMLButtonElement;
}

export class Lanes {
  readonly #team: Team;
  readonly #observer: LanesObserver;
  readonly #section = elementById("lanes", HTMLElement);
  readonly #list = elementById("lane-list", HTMLElement);
  readonly #lanes = new Map<string, Lane>();
  /** The agent whose lane is pressed, and the one whose lane has the pointer or the focus. */
  #pressed: string | undefined;
  #pointed: string | undefined;

  constructor(team: Team, observer: LanesObserver) {
    this.#team = team;
    this.#observer = observer;
  }

  /** The agent of which the user wants to see what it sees. */
  get chosen(): string | undefined {
    return this.#pointed ?? this.#pressed;
  }

  /** Shows all agents as they are now. `isBusy` is true while nothing can be begun. */
  show(isBusy: boolean): void {
    const names = this.#team.names();
    this.#section.hidden = names.length === 0;
    for (const [name, { row }] of this.#lanes) {
      if (!names.includes(name)) {
        row.remove();
        this.#lanes.delete(name);
      }
    }
    const all = names.length === 0 ? 0 : this.#team.count();
    for (const name of names) {
      const lane = this.#lanes.get(name) ?? this.#add(name);
      const view = this.#team.view(name);
      const seen = spoken(view).length;
      const gone = view.compacted().length;
      lane.sees.textContent = `Sees ${exactly(seen)} of ${exactly(all)} messages${gone === 0 ? "" : `, ${exactly(gone)} of them in its summary`}`;
      lane.undo.hidden = gone === 0;
      for (const button of [lane.compact, lane.undo, lane.answer]) {
        button.disabled = isBusy;
      }
      lane.answer.disabled ||= seen === 0;
    }
  }

  /** Shows how full each window is, and what is prepared for it. */
  showFill(ghostOf: (name: string) => Ghost | undefined): void {
    this.#lanes.forEach(({ meter }, name) => meter.show(this.#team.view(name).status(), ghostOf(name)));
  }

  #add(name: string): Lane {
    const button = (text: string, label: string): HTMLButtonElement => element("button", { type: "button", class: "slight", "aria-label": label }, text);
    const place = element("div");
    const lane: Lane = {
      row: element("li", { class: "lane" }),
      choose: element("button", { type: "button", class: "name", "aria-pressed": "false", "aria-label": `Mark what ${name} sees` }, name),
      meter: meterIn(place, `Context window of ${name}`),
      sees: element("p", { class: "sees" }),
      compact: button("Compact", `Compact for ${name}`),
      undo: button("Undo", `Undo the compaction for ${name}`),
      answer: button("Answer", `Let ${name} answer`),
    };
    const role = this.#team.roleOf(name);
    const actions = element("div", { class: "actions" }, lane.answer, lane.compact, lane.undo);
    lane.row.append(lane.choose, element("p", { class: "role" }, role), place, lane.sees, actions);
    this.#list.append(lane.row);
    this.#listen(name, lane);
    this.#lanes.set(name, lane);
    return lane;
  }

  #listen(name: string, { row, choose, compact, undo, answer }: Lane): void {
    choose.addEventListener("click", () => {
      this.#pressed = this.#pressed === name ? undefined : name;
      for (const [each, lane] of this.#lanes) {
        lane.choose.setAttribute("aria-pressed", String(each === this.#pressed));
      }
      this.#observer.chosen();
    });
    const point = (pointed: string | undefined): void => {
      this.#pointed = pointed;
      this.#observer.chosen();
    };
    // A finger presses the name. It does not point at a lane, and the focus that it leaves there says nothing.
    row.addEventListener("pointerenter", ({ pointerType }) => pointerType !== "touch" && point(name));
    row.addEventListener("pointerleave", () => point(undefined));
    row.addEventListener("focusin", () => row.querySelector(":focus-visible") !== null && point(name));
    row.addEventListener("focusout", () => point(undefined));
    compact.addEventListener("click", () => this.#observer.compact(name));
    answer.addEventListener("click", () => this.#observer.answer(name));
    undo.addEventListener("click", () => {
      this.#observer.undo(name);
      // This button may be gone.
      if (undo.hidden) {
        compact.focus();
      }
    });
  }
}
