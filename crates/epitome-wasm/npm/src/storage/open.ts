// Opens a conversation of a store: a compactor whose commits go there.

import { epitomeError, guarded } from "../error.js";
import type { Format } from "../glue/epitome.js";
import type { Compactor } from "../host/compactor.js";
import type { FormatOf, MessageOf } from "../host/format-messages.js";
import type { Changes, CompactorOptions, RestoreOptions } from "../host/options.js";
import { hashOf } from "./chain.js";
import { type Cipher, NO_CIPHER } from "./cipher.js";
import type { Head, Store } from "./store.js";
import { type Damage, type Read, readVerified } from "./verified.js";

/** The functions of `epitome` or of `epitome/slim` that make compactors. */
export interface Compactors {
  createCompactor<M extends object>(options: CompactorOptions<M>): Promise<Compactor<M>>;
  restoreCompactor<M extends object>(snapshot: string, options: RestoreOptions<M>): Promise<Compactor<M>>;
}

/** How a conversation is opened. */
export interface OpenOptions<M extends object = object, F extends Format = FormatOf<M>>
  extends Omit<CompactorOptions<M, F>, "commit"> {
  /** Where it is kept. */
  store: Store;
  /** Its id in the store. */
  id: string;
  /** Encrypts what the store gets. */
  cipher?: Cipher;
  /** Those of `epitome/slim`, for an app that uses it. Default: those of `epitome`, which are loaded when they are needed. */
  compactors?: Compactors;
}

/** A conversation of a store. */
export interface OpenConversation<M extends object = object> {
  /** Its compactor. `commit()` stores what is new; a compaction is stored before it is applied. */
  readonly compactor: Compactor<M>;
  /** What could not be read, if the store has lost something. The conversation goes on from the last whole commit. */
  readonly damage: Damage | undefined;
  /** The number of its last commit. */
  sequence(): number;
  /** Disposes of the compactor. What was not committed is lost. */
  close(): void;
}

/**
 * Opens a conversation, or begins one, and takes over as its writer: commits of one who has opened it earlier are refused from
 * now on with the code `conflict`. Its policy is the stored one; `policy` is that of a new conversation.
 *
 * Every commit is checked against the hashes before it. What is behind the first commit that is not whole is cut off and
 * returned as `damage`. Linear in the conversation.
 */
export function openConversation<F extends Format, M extends object = MessageOf<F>>(
  options: OpenOptions<NoInfer<M>, F & FormatOf<M>>,
): Promise<OpenConversation<M>>;
/** The same for the app's own type of message, `M`. */
export function openConversation<M extends object>(options: OpenOptions<M>): Promise<OpenConversation<M>>;
export function openConversation<M extends object>(options: OpenOptions<M, Format>): Promise<OpenConversation<M>> {
  return guarded(async () => {
    const { store, id, cipher = NO_CIPHER } = options;
    const head = await store.claim(id);
    const read = await readVerified(store, id, head, cipher);
    if (read.damage !== undefined && !(await store.cut(id, read.last, head.epoch))) {
      throw conflict(id);
    }
    const writer = new Writer(store, id, cipher, read, head);
    const compactor = await compactorOf<M>(read, options, (changes) => writer.commit(changes));
    return {
      compactor,
      damage: read.damage,
      sequence: () => writer.sequence,
      close: () => compactor.dispose(),
    };
  });
}

/** A compactor for what was read. */
export async function compactorOf<M extends object>(
  read: Read,
  options: Omit<OpenOptions<M, Format>, "store" | "id">,
  commit: (changes: Changes) => Promise<void>,
): Promise<Compactor<M>> {
  const { cipher: _, compactors = await defaults(), ...rest } = options;
  const host = { ...rest, commit } as unknown as CompactorOptions<M>;
  return read.text === ""
    ? compactors.createCompactor<M>(host)
    : compactors.restoreCompactor<M>(read.text + read.state, host as unknown as RestoreOptions<M>);
}

async function defaults(): Promise<Compactors> {
  return (await import("../api/api.js")) as unknown as Compactors;
}

/** Adds commits behind those that were read. */
export class Writer {
  readonly #store: Store;
  readonly #id: string;
  readonly #cipher: Cipher;
  readonly #epoch: number | undefined;
  readonly #job: string | undefined;
  #sequence: number;
  #hash: string;

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

  async commit(changes: Changes): Promise<void> {
    const [text, state] = await Promise.all([changes.lines, changes.state].map((part) => this.#cipher.encrypt(part, this.#id)));
    const [previous, sequence] = [this.#hash, this.#sequence + 1];
    const hash = await hashOf(previous, text as string);
    const fields = { sequence, hash, previous, text: text as string, state: state as string };
    const writer = this.#epoch === undefined ? {} : { epoch: this.#epoch };
    const job = this.#job === undefined ? {} : { job: this.#job };
    if (!(await this.#store.commit(this.#id, { ...fields, ...writer, ...job }))) {
      throw conflict(this.#id);
    }
    [this.#sequence, this.#hash] = [sequence, hash];
  }
}

function conflict(id: string): Error {
  const name = JSON.stringify(id);
  return epitomeError("conflict", `the conversation ${name} has another writer, or has been continued since; open it again`);
}
