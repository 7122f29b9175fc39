// Collects what the store does not have yet, and commits it, one commit at a time.

import { reading } from "../arguments.js";
import type { Lines } from "../glue/epitome.js";
import type { Calls } from "./calls.js";
import type { SaveState } from "./compactor.js";
import type { Form } from "./forms.js";
import type { Changes, CommitChanges } from "./options.js";
import { pause } from "./pause.js";
import { SLICE } from "./slices.js";

/** How a line with a message of the app begins. */
const ORIGINAL = '{"record":"original",';

/** How the line with the compactor's own state begins. */
const STATE = '{"record":"state",';

/** A message of the app, and what an agent has written in its place. */
interface Original {
  readonly id: string;
  readonly message: unknown;
  readonly form: Form | undefined;
}

/** The commits of one conversation. */
export class Commits {
  /** Called after each commit that succeeds. */
  onStored: () => void = () => undefined;
  readonly #calls: Calls;
  readonly #store: CommitChanges | undefined;
  readonly #message: (id: string) => unknown;
  readonly #form: (id: string) => Form | undefined;
  /** The ids of messages that the app has given since the last commit. */
  #given = new Set<string>();
  /** Those of the commit that runs. */
  #sent: ReadonlySet<string> | undefined;
  #last: Promise<void> = Promise.resolve();

  /** `message` gives the app's message of an id, or undefined, and `form` what an agent has written in its place. */
  constructor(calls: Calls, store: CommitChanges | undefined, message: (id: string) => unknown, form: (id: string) => Form | undefined) {
    this.#calls = calls;
    this.#store = store;
    this.#message = message;
    this.#form = form;
  }

  /** True if there is a store. */
  get isStored(): boolean {
    return this.#store !== undefined;
  }

  /** Takes note of a message that the app has given. */
  note(id: string): void {
    if (this.isStored) {
      this.#given.add(id);
    }
  }

  /** Whether a message is stored; without an id, whether everything is. */
  state(id?: string): SaveState {
    if (id === undefined ? this.#given.size > 0 : !this.isStored || this.#given.has(id)) {
      return "unsaved";
    }
    if (id === undefined ? this.#sent !== undefined : this.#sent?.has(id) === true) {
      return "saving";
    }
    return id === undefined && (!this.isStored || this.#calls.run((engine) => engine.hasUnsaved())) ? "unsaved" : "saved";
  }

  /** Everything, as if nothing of it were stored: `ids` are those of all messages that the app has given. */
  all(ids: Iterable<string>): Changes {
    const lines = this.#calls.run((engine) => engine.snapshot());
    const state = lines.lastIndexOf(STATE);
    const originals = this.#originals(ids).map(lineOf).join("");
    return { lines: lines.slice(0, state) + originals, state: lines.slice(state) };
  }

  /** Stores what is new, after the commits that are running. What cannot be stored is part of the next commit. */
  commit(): Promise<void> {
    const commit = this.#last.then(() => this.#commit());
    this.#last = commit.catch(() => undefined);
    return commit;
  }

  async #commit(): Promise<void> {
    const store = this.#store;
    if (store === undefined || (this.#given.size === 0 && !this.#calls.run((engine) => engine.hasUnsaved()))) {
      return;
    }
    const given = this.#given;
    // The conversation as it is now is stored, although it is written in slices, between which it may change.
    const [unsaved, state] = this.#calls.run((engine): [Lines, string] => [engine.beginUnsaved(), engine.stateLine()]);
    const originals = this.#originals(given);
    this.#given = new Set();
    this.#sent = given;
    try {
      const lines = await linesOf(this.#calls, unsaved);
      await store({ lines: lines + (await written(originals)), state });
    } catch (error) {
      this.#given = new Set([...given, ...this.#given]);
      throw error;
    } finally {
      this.#sent = undefined;
    }
    if (!this.#calls.isDisposed) {
      this.#calls.run((engine) => engine.handleSaved());
      this.onStored();
    }
  }

  #originals(ids: Iterable<string>): Original[] {
    return Array.from(ids).flatMap((id): Original[] => {
      const [message, form] = [this.#message(id), this.#form(id)];
      return message === undefined ? [] : [{ id, message, form: form?.ids[0] === id ? form : undefined }];
    });
  }
}

/** The text of lines that the engine writes in slices, between which `check` may throw. They can be written after the compactor was
 * disposed of. */
export async function linesOf(calls: Calls, lines: Lines, check: () => void = () => undefined): Promise<string> {
  const slices: string[] = [];
  try {
    for (;;) {
      const next = (): string => lines.advance();
      slices.push(calls.isDisposed ? next() : calls.read(next));
      if (lines.isDone()) {
        return slices.join("");
      }
      await pause();
      check();
    }
  } finally {
    lines.free();
  }
}

/** The lines of these messages, written in slices if they are long. */
async function written(originals: readonly Original[]): Promise<string> {
  const lines: string[] = [];
  let length = 0;
  for (const original of originals) {
    if (length > SLICE) {
      await pause();
      length = 0;
    }
    const line = lineOf(original);
    lines.push(line);
    length += line.length;
  }
  return lines.join("");
}

function lineOf({ id, message, form }: Original): string {
  const own = form === undefined ? "" : `,"own":${JSON.stringify(form)}`;
  return `${ORIGINAL}"id":${JSON.stringify(id)},"message":${JSON.stringify(message)}${own}}\n`;
}

/** The app's messages by their ids, each in the latest version in this text. `forms` gets what agents have written in their place. */
export function originalsOf(lines: string, forms = new Map<string, Form>()): Map<string, object> {
  const found = new Map<string, object>();
  for (const line of lines.split("\n")) {
    if (line.startsWith(ORIGINAL)) {
      const read = (): { id: string; message: object; own?: Form } => JSON.parse(line) as { id: string; message: object; own?: Form };
      const { id, message, own } = reading("snapshot", read, "invalid-snapshot");
      found.set(id, message);
      forms.delete(id);
      if (own !== undefined) {
        forms.set(id, own);
      }
    }
  }
  return found;
}
