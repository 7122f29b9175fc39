// Search in the whole conversation: what a compactor's index is made of, and what a search returns.

import { fieldsOf, wholeOf } from "../arguments.js";
import type { Compactor as Engine } from "../glue/epitome.js";
import type { NumericSource } from "../wasm/numeric.js";
import { Archive } from "./archive.js";

/** Options of one search. */
export interface RecallOptions {
  /** The most tokens that the text of the result may have, as the package estimates them. Default: 1,000. */
  tokens?: number;
}

/** What messages that have left the view say about a question. */
export interface Recalled {
  /** The best first; empty if nothing fits. */
  passages: RecalledPassage[];
  /** The quotes as text for a model, in the order of the conversation: in tags that no quote can close, and marked as data.
   * Empty if nothing fits. */
  text: string;
  /** The estimated tokens of `text`. */
  tokens: number;
}

/** Messages that follow each other, and what they say. */
export interface RecalledPassage {
  /** How well it fits, from 0 to 1: the best one has 1. */
  score: number;
  /** At least one, in their order. */
  quotes: RecalledQuote[];
  /** The id of the message before them. */
  before?: string;
  /** The id of the message after them. */
  after?: string;
}

/** What one message says. */
export interface RecalledQuote {
  /** The id of the message, for `history()` and `metadata`. */
  id: string;
  /** Its role, and behind it its author if that is known. */
  speaker: string;
  /** Its sentences, with ` … ` where some are left out. */
  text: string;
}

/** What names, identifiers or rare words that have come back stand for. */
export interface Returned extends Recalled {
  /** The words of the latest turn that only messages out of the view have. */
  words: string[];
}

const DEFAULT_TOKENS = 1_000;
/** Characters that are indexed without a pause: a tenth of a second on a slow phone. */
const SLICE = 100_000;

/** Calls the engine's compactor. */
type Run = <T>(call: (engine: Engine) => T) => T;

/** The index of one conversation: made on the first search, and kept up to date by each. */
export class Recall {
  readonly #source: NumericSource;
  readonly #run: Run;
  #creating: Promise<Archive> | undefined;
  #archive: Archive | undefined;
  #isFreed = false;
  /** Of each message in the index, its id and its speaker. */
  readonly #messages: { id: string; speaker: string }[] = [];
  /** The engine's number of changes at which the index was up to date. */
  #changes = 0;

  constructor(source: NumericSource, run: Run) {
    this.#source = source;
    this.#run = run;
  }

  /** Searches the messages that have left the view. */
  async search(question: string, options: RecallOptions): Promise<Recalled> {
    const tokens = tokensOf(options);
    return this.#search(await this.#updated(), question, tokens);
  }

  /** Searches for what the latest turn mentions and only messages out of the view have; undefined if there is nothing. */
  async returning(options: RecallOptions): Promise<Returned | undefined> {
    const tokens = tokensOf(options);
    const archive = await this.#updated();
    this.#prepare(archive);
    let from = archive.length;
    const said: string[] = [];
    while (from > 0) {
      from -= 1;
      const [, speaker = "", text = ""] = this.#run((engine) => engine.searchable(from));
      // Results of tools are not what somebody asks for.
      if (!speaker.startsWith("tool")) {
        said.unshift(text);
      }
      if (speaker.startsWith("user")) {
        break;
      }
    }
    const words = archive.returning(said.join("\n"), from);
    if (words === "") {
      return undefined;
    }
    const found = this.#search(archive, words, tokens);
    return found.passages.length === 0 ? undefined : { ...found, words: words.split(" ") };
  }

  free(): void {
    this.#isFreed = true;
    this.#archive?.free();
    this.#archive = undefined;
  }

  #prepare(archive: Archive): void {
    const [departed, known] = this.#run((engine) => [engine.departed(), engine.summary()] as const);
    archive.prepare(departed, known);
  }

  #search(archive: Archive, question: string, tokens: number): Recalled {
    this.#prepare(archive);
    const textAt = (position: number): string => this.#run((engine) => engine.searchable(position))[2] ?? "";
    const { found, ...rest } = archive.search(question, tokens, textAt);
    const passages = found.map(({ score, quotes }): RecalledPassage => {
      const [first, last] = [quotes[0]?.position ?? 0, quotes.at(-1)?.position ?? 0];
      const [before, after] = [this.#messages[first - 1]?.id, this.#messages[last + 1]?.id];
      return {
        score,
        quotes: quotes.flatMap(({ position, text }) => {
          const message = this.#messages[position];
          return message === undefined ? [] : [{ ...message, text }];
        }),
        ...(before === undefined ? {} : { before }),
        ...(after === undefined ? {} : { after }),
      };
    });
    return { passages, ...rest };
  }

  /** The index with all messages. Between slices, the conversation may go on. */
  async #updated(): Promise<Archive> {
    this.#creating ??= Archive.create(this.#source).catch((error: unknown) => {
      this.#creating = undefined;
      throw error;
    });
    const archive = await this.#creating;
    if (this.#isFreed) {
      archive.free();
      // Says why.
      this.#run(() => undefined);
    }
    this.#archive = archive;
    while (!this.#advance(archive)) {
      await pause();
    }
    return archive;
  }

  /** Adds messages to the index, for a while. True if it has all of them. */
  #advance(archive: Archive): boolean {
    return this.#run((engine) => {
      const from = engine.changedSince(this.#changes);
      if (from !== undefined) {
        archive.truncate(from);
        this.#messages.length = Math.min(this.#messages.length, from);
      }
      this.#changes = engine.changes();
      let left = SLICE;
      for (let position = archive.length; left > 0; position += 1) {
        const [id, speaker, text, time] = engine.searchable(position);
        if (id === undefined || speaker === undefined || text === undefined) {
          return true;
        }
        this.#messages.push({ id, speaker });
        archive.append(speaker, text, time);
        left -= text.length + 1;
      }
      return false;
    });
  }
}

function tokensOf(options: RecallOptions): number {
  return wholeOf(fieldsOf(options, "options").tokens ?? DEFAULT_TOKENS, "tokens", 1);
}

/** Lets the page do what is due. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
