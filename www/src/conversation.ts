// The conversation: asks for answers, and keeps itself below the threshold after each of them.

import type { Compactor, Reason, Report, Status } from "epitome";
import { answer, AnswerError, type ChatMessage } from "./answer.js";
import { endpointOf, type Settings } from "./settings.js";

/** What goes on at the phase. */
export type Activity = "nothing" | "answering" | "compacting";

/** Told of everything that is worth showing. */
export interface Watcher {
  said(message: ChatMessage): void;
  /** A piece of the answer that is being written. */
  heard(text: string): void;
  /** The answer is complete, or what there is of it. */
  answered(message: ChatMessage | undefined): void;
  failed(words: string): void;
  compacting(words: string): void;
  compacted(report: Report): void;
  changed(): void;
}

export class Conversation {
  readonly #compactor: Compactor<ChatMessage>;
  readonly #watcher: Watcher;
  #settings: Settings;
  #activity: Activity = "nothing";
  #controller = new AbortController();

  constructor(compactor: Compactor<ChatMessage>, settings: Settings, watcher: Watcher) {
    this.#compactor = compactor;
    this.#settings = settings;
    this.#watcher = watcher;
  }

  get activity(): Activity {
    return this.#activity;
  }

  get status(): Status {
    return this.#compactor.status();
  }

  /** What goes to the model. */
  get view(): ReadonlySet<ChatMessage> {
    return new Set(this.#compactor.messages());
  }

  set settings(settings: Settings) {
    this.#settings = settings;
    this.#compactor.setPolicy({ window: settings.window });
    this.#watcher.changed();
  }

  /** Says something, and waits for the answer. */
  async send(text: string): Promise<void> {
    const message: ChatMessage = { role: "user", content: text };
    this.#compactor.append(message);
    this.#watcher.said(message);
    await this.ask();
  }

  /** Asks for an answer to what was said last, and compacts where that fills the window. */
  async ask(): Promise<void> {
    await this.#during("answering", (signal) => this.#answer(signal));
    const reason = this.#compactor.check("turnEnd");
    if (reason !== undefined) {
      await this.compact(reason);
    }
  }

  async compact(reason: Reason): Promise<void> {
    await this.#during("compacting", async (signal) => {
      this.#watcher.compacting("Summarizing earlier messages …");
      const report = await this.#compactor.compact({
        reason,
        signal,
        onEvent: (event) => {
          if (event.type === "progress" && event.chunks > 1) {
            this.#watcher.compacting(`Summarized ${event.done} of ${event.chunks} parts …`);
          } else if (event.type === "retry") {
            this.#watcher.compacting(`The summary failed (${event.message}); trying again …`);
          }
        },
      });
      this.#watcher.compacted(report);
    });
  }

  /** Stops whatever goes on. */
  stop(): void {
    this.#controller.abort();
  }

  /** Takes the latest compaction back. */
  undo(): void {
    this.#compactor.undo();
    this.#watcher.changed();
  }

  async #answer(signal: AbortSignal): Promise<void> {
    let content = "";
    let usage;
    try {
      const messages = this.#compactor.messages();
      for await (const piece of answer({ ...endpointOf(this.#settings), messages, signal })) {
        if (piece.type === "usage") {
          usage = piece.usage;
          continue;
        }
        content += piece.text;
        this.#watcher.heard(piece.text);
      }
      if (content === "") {
        throw new AnswerError("The model answered without any text.");
      }
    } catch (error) {
      usage = undefined;
      if (!signal.aborted) {
        this.#watcher.failed(error instanceof Error ? error.message : String(error));
      }
    }
    const message: ChatMessage = { role: "assistant", content };
    if (content !== "") {
      this.#compactor.append(message);
    }
    if (usage !== undefined) {
      this.#compactor.usage(usage);
    }
    this.#watcher.answered(content === "" ? undefined : message);
  }

  async #during(activity: Activity, action: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.#controller = new AbortController();
    this.#activity = activity;
    this.#watcher.changed();
    try {
      await action(this.#controller.signal);
    } finally {
      this.#activity = "nothing";
      this.#watcher.changed();
    }
  }
}
