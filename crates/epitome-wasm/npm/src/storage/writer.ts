// Adds commits behind those that were read, each with the hash of all before it.

import { epitomeError } from "../error.js";
import type { Changes } from "../host/options.js";
import { hashOf } from "./chain.js";
import type { Cipher } from "./cipher.js";
import { hashedState } from "./hashed-state.js";
import type { Head, Store, StoredCommit } from "./store.js";
import type { Read } from "./verified.js";

/** The writer of a conversation. */
export class Writer {
  readonly #store: Store;
  readonly #id: string;
  readonly #cipher: Cipher;
  readonly #epoch: number | undefined;
  readonly #job: string | undefined;
  #sequence: number;
  #hash: string;
  #isStale = false;

  /** With `job`, it writes without taking over, and its commits are the effect of that job. */
  constructor(store: Store, id: string, cipher: Cipher, { last }: Read, { epoch }: Head, job?: string) {
    this.#store = store;
    this.#id = id;
    this.#cipher = cipher;
    this.#epoch = job === undefined ? epoch : undefined;
    this.#job = job;
    this.#sequence = last?.sequence ?? 0;
    this.#hash = last?.hash ?? "";
  }

  get sequence(): number {
    return this.#sequence;
  }

  /** The number and the hash of its last commit. */
  get last(): Pick<StoredCommit, "sequence" | "hash"> {
    return { sequence: this.#sequence, hash: this.#hash };
  }

  /** True once a commit was refused, because another writer has the conversation or it was deleted. */
  get isStale(): boolean {
    return this.#isStale;
  }

  async commit(changes: Changes): Promise<void> {
    const text = await this.#cipher.encrypt(changes.lines, this.#id);
    const [previous, sequence] = [this.#hash, this.#sequence + 1];
    const hash = await hashOf(previous, text);
    const state = changes.state === "" ? "" : await this.#cipher.encrypt(await hashedState(changes.state, hash), this.#id);
    const fields = { sequence, hash, previous, text, state };
    const writer = this.#epoch === undefined ? {} : { epoch: this.#epoch };
    const job = this.#job === undefined ? {} : { job: this.#job };
    if (!(await this.#store.commit(this.#id, { ...fields, ...writer, ...job }))) {
      this.#isStale = true;
      throw conflict(this.#id);
    }
    [this.#sequence, this.#hash] = [sequence, hash];
  }
}

/** The error of a writer after another one has taken over. */
export function conflict(id: string): Error {
  const name = JSON.stringify(id);
  return epitomeError("conflict", `the conversation ${name} has another writer, or has been continued since; open it again`);
}
