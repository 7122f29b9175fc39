// Search in the whole conversation: what a compactor's index is made of, and what a search returns.

import { fieldsOf, wholeOf } from "../arguments.js";
import type { Compactor as Engine } from "../glue/epitome.js";
import type { OfAgent } from "../host/events.js";
import { pause } from "../host/pause.js";
import type { NumericSource } from "../wasm/numeric.js";
import { Archive, PART } from "./archive.js";
import { MOST_CANDIDATES, rankedBy, type RankRecall } from "./rank.js";

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
  /** The id of the message, for `message` and `metadata`. */
  id: string;
  /** Its role, and behind it its author if that is known. */
  speaker: string;
  /** Its sentences, with ` … ` where some are left out. */
  text: string;
}

/** What names, identifiers or rare words that have come back stand for, and what the user has said that holds for all turns. */
export interface Returned extends Recalled {
  /** The words of the latest turn that only messages out of the view have; empty if there are none. */
  words: string[];
}

const DEFAULT_TOKENS = 1_000;
/** The index is kept again when this share of its messages is missing in the kept one. */
const UNKEPT = 0.1;
/** Characters that are indexed without a pause: a tenth of a second on a slow phone. */
const SLICE = 100_000;

/** Calls the engine's compactor. */
type Run = <T>(call: (engine: Engine) => T) => T;

/** Keeps the index of a conversation, which is made again if it is lost. */
export interface RecallIndexKeeper {
  /** The index that was kept last, if it is of the first messages of the conversation as that was opened. */
  load(): Promise<Uint8Array | undefined>;
  /** Keeps the index of all messages. False if it cannot now, such as because some of them are not stored. */
  save(index: () => Uint8Array): boolean;
}

/** What an app may give to its searches. */
export interface RecallHost {
  rankRecall?: RankRecall;
  recallIndex?: RecallIndexKeeper;
}

/** The index of one conversation: made on the first search, and brought up to date by each, and by each commit from then on. */
export class Recall {
  readonly #source: NumericSource;
  readonly #run: Run;
  #creating: Promise<Archive> | undefined;
  #loading: Promise<Uint8Array | undefined> | undefined;
  #isFollowing = false;
  #archive: Archive | undefined;
  #isFreed = false;
  readonly #host: RecallHost;
  readonly #of: OfAgent;
  readonly #named: (id: string) => string;
  /** The engine's number of changes at which the index was up to date. */
  #changes: number;
  /** How many messages the kept index has. */
  #keptLength = 0;

  /** `named` gives the compactor's id of a message that the app names by its own; `of` says whose messages are searched. */
  constructor(source: NumericSource, run: Run, host: RecallHost, named: (id: string) => string, of: OfAgent) {
    this.#source = source;
    this.#run = run;
    this.#host = host;
    this.#of = of;
    this.#named = named;
    // A kept index is of the conversation as it was opened.
    this.#changes = host.recallIndex === undefined ? 0 : run((engine) => engine.changes());
  }

  /** Searches the messages that have left the view. */
  async search(question: string, options: RecallOptions): Promise<Recalled> {
    const tokens = tokensOf(options);
    const archive = await this.#updated();
    const { rankRecall } = this.#host;
    if (rankRecall === undefined) {
      return this.#search(archive, question, tokens);
    }
    this.#prepare(archive);
    const best = archive.candidates(question, MOST_CANDIDATES, (position) => this.#textAt(position));
    const candidates = best.map(({ position, score }) => ({ ...this.#messageAt(archive, position), text: this.#textAt(position), score }));
    const ranked = await rankedBy(rankRecall, question, candidates, this.#of);
    // The conversation may have gone on meanwhile.
    await this.#updated();
    const preferred = ranked?.flatMap(({ id, score }): [number, number][] => {
      const position = this.#run((engine) => engine.positionOf(this.#named(id)));
      return position === undefined ? [] : [[position, score]];
    });
    return this.#search(archive, question, tokens, { preferred: preferred && new Map(preferred) });
  }

  /**
   * Searches for what the latest turn mentions and only messages out of the view have, and for what holds for all turns; undefined if
   * there is nothing.
   */
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
        said.unshift(endsOf(text));
      }
      if (speaker.startsWith("user")) {
        break;
      }
    }
    const turn = said.join("\n");
    const words = archive.returning(turn, from);
    const found = this.#search(archive, words, tokens, { turn });
    return found.passages.length === 0 ? undefined : { ...found, words: words.split(" ").filter((word) => word !== "") };
  }

  /**
   * Adds what came since to the index, in the background. Only if there is one: in a conversation that nobody has searched, the
   * module for searches is not fetched.
   */
  follow(): void {
    if (this.#isFollowing || this.#host.recallIndex === undefined) {
      return;
    }
    this.#isFollowing = true;
    void this.#kept()
      .then((kept) => (kept === undefined && this.#creating === undefined ? undefined : this.#updated()))
      // The next search does it, and says what is wrong.
      .catch(() => undefined)
      .then(() => {
        this.#isFollowing = false;
      });
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

  #textAt(position: number): string {
    return this.#run((engine) => engine.searchable(position))[2] ?? "";
  }

  #idAt(position: number): string | undefined {
    return this.#run((engine) => engine.searchable(position))[0];
  }

  #messageAt(archive: Archive, position: number): { id: string; speaker: string } {
    return { id: this.#idAt(position) ?? "", speaker: archive.speakerOf(position) };
  }

  #search(archive: Archive, question: string, tokens: number, by: Parameters<Archive["search"]>[3] = {}): Recalled {
    this.#prepare(archive);
    const { found, ...rest } = archive.search(question, tokens, (position) => this.#textAt(position), by);
    const passages = found.map(({ score, quotes }): RecalledPassage => {
      const [first, last] = [quotes[0]?.position ?? 0, quotes.at(-1)?.position ?? 0];
      const before = first === 0 ? undefined : this.#idAt(first - 1);
      const after = this.#idAt(last + 1);
      return {
        score,
        quotes: quotes.map(({ position, text }) => ({ ...this.#messageAt(archive, position), text })),
        ...(before === undefined ? {} : { before }),
        ...(after === undefined ? {} : { after }),
      };
    });
    return { passages, ...rest };
  }

  /** The index with all messages. Between slices, the conversation may go on. */
  async #updated(): Promise<Archive> {
    this.#creating ??= this.#create().catch((error: unknown) => {
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
    this.#keep(archive);
    return archive;
  }

  async #create(): Promise<Archive> {
    const [archive, kept] = await Promise.all([Archive.create(this.#source), this.#kept()]);
    // It is large, and not needed again.
    this.#loading = Promise.resolve(undefined);
    if (kept !== undefined && archive.restore(kept)) {
      this.#keptLength = archive.length;
    }
    return archive;
  }

  /** The index that was kept, as it was when this was first called. */
  #kept(): Promise<Uint8Array | undefined> {
    this.#loading ??= this.#host.recallIndex?.load().catch(() => undefined) ?? Promise.resolve(undefined);
    return this.#loading;
  }

  /** Keeps the index if it has much more than the one that is kept. */
  #keep(archive: Archive): void {
    const { length } = archive;
    if (Math.abs(length - this.#keptLength) > UNKEPT * length && this.#host.recallIndex?.save(() => archive.bytes()) === true) {
      this.#keptLength = length;
    }
  }

  /** Adds messages to the index, for a while. True if it has all of them. */
  #advance(archive: Archive): boolean {
    return this.#run((engine) => {
      const from = engine.changedSince(this.#changes);
      if (from !== undefined) {
        archive.truncate(from);
      }
      this.#changes = engine.changes();
      let left = SLICE;
      for (let position = archive.length; left > 0; position += 1) {
        for (; !archive.isWhole; left -= PART) {
          if (left <= 0) {
            return false;
          }
          archive.appendNext();
        }
        const [id, speaker, text, time] = engine.searchable(position);
        if (id === undefined || speaker === undefined || text === undefined) {
          return true;
        }
        archive.append(speaker, text, time);
        left -= Math.min(text.length, PART) + 1;
      }
      return false;
    });
  }
}

/** The two ends of a very long text. */
function endsOf(text: string): string {
  return text.length <= SLICE ? text : `${text.slice(0, SLICE / 2)}\n${text.slice(-SLICE / 2)}`;
}

function tokensOf(options: RecallOptions): number {
  return wholeOf(fieldsOf(options, "options").tokens ?? DEFAULT_TOKENS, "tokens", 1);
}
