// Tokens of messages, as the package counts them by the page's policy.

import { type Compactor, createCompactor, type PolicySpec } from "epitome/slim";
import type { Message } from "./requests.js";

/** A window that nothing fills, so that the compactor that counts is never about to compact. */
const ENDLESS = 2_000_000_000;

/** Behind this message every other one is counted, since a request has tokens that belong to no message. */
const ANCHOR: Message = { role: "user", content: "." };

/** What counts tokens. */
export interface TokenMeter {
  /** Tokens of each request that belong to no message, tool schemas included. */
  readonly overheadTokens: number;
  /** The tokens of a message in a request. */
  tokensOf(message: Message): number;
  /** The tokens of messages, without what the request has besides. */
  tokensOfAll(messages: readonly Message[]): number;
  /** The tokens of a request to a summarizer. It may be as long as the conversation, and is counted in slices. */
  tokensOfPrompt(messages: readonly Message[]): Promise<number>;
}

/** A meter that counts each object once. */
export class Meter implements TokenMeter {
  readonly overheadTokens: number;
  readonly #compactor: Compactor<Message>;
  readonly #prompts: Compactor<Message>;
  readonly #base: number;
  readonly #byMessage = new WeakMap<Message, number>();

  private constructor(compactor: Compactor<Message>, prompts: Compactor<Message>) {
    this.#compactor = compactor;
    this.#prompts = prompts;
    compactor.append(ANCHOR);
    this.#base = compactor.status().tokens;
    this.overheadTokens = this.#base - this.#count({ ...ANCHOR });
  }

  /** A meter that counts as this policy does. */
  static async create({ counting, model, toolSchemaTokens }: PolicySpec): Promise<Meter> {
    const policy: PolicySpec = {
      window: ENDLESS,
      ...(counting !== undefined && { counting }),
      ...(model !== undefined && { model }),
      ...(toolSchemaTokens !== undefined && { toolSchemaTokens }),
    };
    const compactor = () => createCompactor<Message>({ format: "openai-chat", policy, repair: false });
    return new Meter(await compactor(), await compactor());
  }

  tokensOf(message: Message): number {
    let tokens = this.#byMessage.get(message);
    if (tokens === undefined) {
      tokens = this.#count(message);
      this.#byMessage.set(message, tokens);
    }
    return tokens;
  }

  tokensOfAll(messages: readonly Message[]): number {
    return messages.reduce((sum, message) => sum + this.tokensOf(message), 0);
  }

  async tokensOfPrompt(messages: readonly Message[]): Promise<number> {
    const ids = await this.#prompts.appendInSlices(messages);
    const { tokens } = this.#prompts.status();
    for (const id of ids) this.#prompts.remove(id);
    return tokens;
  }

  dispose(): void {
    this.#compactor.dispose();
    this.#prompts.dispose();
  }

  #count(message: Message): number {
    const [id] = this.#compactor.append(message);
    const tokens = this.#compactor.status().tokens - this.#base;
    if (id !== undefined) {
      this.#compactor.remove(id);
    }
    return tokens;
  }
}
