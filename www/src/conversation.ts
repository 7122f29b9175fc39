// The conversation: requests answers, and compacts itself after each of them if a compaction is due.

import type { Compactor, Reason, Report, Returned, Status } from "epitome";
import { answer, AnswerError, type ChatMessage } from "./answer.js";
import { endpointOf, type Settings } from "./settings.js";

/** What the conversation is doing now. */
export type Activity = "nothing" | "answering" | "compacting";

/** Is called with everything that the page shows. */
export interface Observer {
  sent(message: ChatMessage): void;
  /** Text of the running answer has arrived. */
  received(text: string): void;
  /** The answer has ended, with the message as far as it has arrived. */
  answered(message: ChatMessage | undefined): void;
  /** The model gets what earlier messages say about words of the question, beside the conversation. */
  recalled(returned: Returned): void;
  failed(message: string): void;
  compacting(message: string): void;
  compacted(report: Report): void;
  changed(): void;
}

export class Conversation {
  readonly #compactor: Compactor<ChatMessage>;
  readonly #observer: Observer;
  #settings: Settings;
  #activity: Activity = "nothing";
  #controller = new AbortController();

  constructor(compactor: Compactor<ChatMessage>, settings: Settings, observer: Observer) {
    this.#compactor = compactor;
    this.#settings = settings;
    this.#observer = observer;
  }

  get activity(): Activity {
    return this.#activity;
  }

  get status(): Status {
    return this.#compactor.status();
  }

  /** The messages that are sent to the model. */
  get view(): ReadonlySet<ChatMessage> {
    return new Set(this.#compactor.messages());
  }

  set settings(settings: Settings) {
    this.#settings = settings;
    this.#compactor.setPolicy({ window: settings.window });
    this.#observer.changed();
  }

  /** Sends a message, and waits for the answer. */
  async send(text: string): Promise<void> {
    const message: ChatMessage = { role: "user", content: text };
    this.#compactor.append(message);
    this.#observer.sent(message);
    await this.ask();
  }

  /** Requests an answer to the last message, then compacts if that is due. */
  async ask(): Promise<void> {
    await this.#during("answering", (signal) => this.#answer(signal));
    const reason = this.#compactor.check("turnEnd");
    if (reason !== undefined) {
      await this.compact(reason);
    }
  }

  async compact(reason: Reason): Promise<void> {
    await this.#during("compacting", async (signal) => {
      this.#observer.compacting("Summarizing earlier messages …");
      const report = await this.#compactor.compact({
        reason,
        signal,
        onEvent: (event) => {
          if (event.type === "progress" && event.chunks > 1) {
            this.#observer.compacting(`Summarized ${event.done} of ${event.chunks} parts …`);
          } else if (event.type === "retry") {
            this.#observer.compacting(`The summary failed (${event.message}); trying again …`);
          }
        },
      });
      this.#observer.compacted(report);
    });
  }

  /** Stops the running answer or compaction. */
  stop(): void {
    this.#controller.abort();
  }

  /** Gives a message to the model again: at the end, where it changes nothing that a provider has in its cache. */
  restore({ role, content }: ChatMessage): void {
    const message: ChatMessage = { role: "user", content: `Earlier, ${role === "assistant" ? "you" : "I"} said:\n${content}` };
    this.#compactor.append(message);
    this.#observer.sent(message);
    this.#observer.changed();
  }

  /** Undoes the latest compaction. */
  undo(): void {
    this.#compactor.undo();
    this.#observer.changed();
  }

  async #answer(signal: AbortSignal): Promise<void> {
    let content = "";
    let usage;
    try {
      const messages = await this.#messages();
      for await (const part of answer({ ...endpointOf(this.#settings), messages, signal })) {
        if (part.type === "usage") {
          usage = part.usage;
          continue;
        }
        content += part.text;
        this.#observer.received(part.text);
      }
      if (content === "") {
        throw new AnswerError("The model answered without any text.");
      }
    } catch (error) {
      usage = undefined;
      if (!signal.aborted) {
        this.#observer.failed(error instanceof Error ? error.message : String(error));
      }
    }
    const message: ChatMessage = { role: "assistant", content };
    if (content !== "") {
      this.#compactor.append(message);
    }
    if (usage !== undefined) {
      this.#compactor.reportUsage(usage);
    }
    this.#observer.answered(content === "" ? undefined : message);
  }

  /** What the model gets. Names and identifiers of the question that only earlier messages have bring what these say. */
  async #messages(): Promise<ChatMessage[]> {
    const options = { tokens: Math.floor(this.#settings.window / 10) };
    const returned = this.#compactor.compacted().length === 0 ? undefined : await this.#compactor.recallReturning(options);
    if (returned === undefined) {
      return this.#compactor.messages();
    }
    this.#observer.recalled(returned);
    return this.#compactor.messagesWithRecall(options);
  }

  async #during(activity: Activity, action: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.#controller = new AbortController();
    this.#activity = activity;
    this.#observer.changed();
    try {
      await action(this.#controller.signal);
    } catch (error) {
      // Another tab has taken over meanwhile, so that nothing can be added here.
      this.#observer.failed(error instanceof Error ? error.message : String(error));
    } finally {
      this.#activity = "nothing";
      this.#observer.changed();
    }
  }
}
