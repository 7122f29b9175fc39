// The conversation: requests answers, and compacts the view of who answers after each of them if a compaction is due.

import { type ContextOverflow, contextOverflow, type OfAgent, type Reason, type Report, type Returned, type Status } from "epitome";
import { answer, type ChatMessage } from "./answer.js";
import { AnswerError } from "./error.js";
import { requestOf } from "./request.js";
import { endpointOf, policyOf, type Settings } from "./settings.js";
import type { Said, Team, View } from "./team.js";

/** What the conversation is doing now. */
export type Activity = "nothing" | "answering" | "compacting";

/** Is called with everything that the page shows. Where an agent is named, it is about that agent. */
export interface Observer {
  sent(said: Said): void;
  /** Text of the running answer has arrived; `said` has its author and whom it is for. */
  received(text: string, said: Said): void;
  /** The answer has ended, with the message as far as it has arrived. */
  answered(message: ChatMessage | undefined): void;
  /** The model gets what earlier messages say about words of the question, beside the conversation. */
  recalled(returned: Returned, name: string | undefined): void;
  /** `left` is the answer in whose place this one should have come. */
  failed(message: string, name: string | undefined, left?: string): void;
  /** The provider says that its window is this small, in tokens. */
  windowKnown(window: number): void;
  /** Messages were left, or those of another branch are shown. */
  branchChanged(): void;
  compacting(message: string): void;
  compacted(report: Report & OfAgent): void;
  changed(): void;
}

/** Whom a message is for, and who answers it. */
export interface Addressed {
  /** The agents that it is only for; nobody for a message to all. */
  readonly only: readonly string[];
  /** The agent that answers; undefined for the model of the page, and null for nobody. */
  readonly by: string | undefined | null;
}

/** How often a request that the provider refuses as too long is sent again, each time after a compaction. */
const MOST_RETRIES = 2;
/** A request that is too long for the provider. */
type Refusal = ContextOverflow & { readonly message: string };

const TO_ALL: Addressed = { only: [], by: undefined };

export class Conversation {
  readonly team: Team;
  readonly #observer: Observer;
  #settings: Settings;
  #activity: Activity = "nothing";
  #answerer: string | undefined;
  #controller = new AbortController();

  constructor(team: Team, settings: Settings, observer: Observer) {
    this.team = team;
    this.#settings = settings;
    this.#observer = observer;
  }

  get activity(): Activity {
    return this.#activity;
  }

  /** The agent that answers now. */
  get answerer(): string | undefined {
    return this.#answerer;
  }

  get status(): Status {
    return this.team.view(undefined).status();
  }

  set settings(settings: Settings) {
    this.#settings = settings;
    this.team.setPolicy(policyOf(settings));
    this.#observer.changed();
  }

  /** Adds an agent with a role. */
  add(name: string, role: string): void {
    this.team.add(name, role);
    this.#observer.changed();
  }

  /** Sends a message, and waits for the answer. */
  async send(text: string, { only, by }: Addressed = TO_ALL): Promise<void> {
    const message: ChatMessage = { role: "user", content: text };
    this.team.view(undefined).append(message, only.length === 0 ? {} : { audience: [...only] });
    this.#observer.sent({ message, only: only.length === 0 ? undefined : only });
    if (by === null) {
      this.#observer.changed();
    } else {
      await this.ask(by);
    }
  }

  /** Requests an answer of this agent, or of the model of the page, to the last message that it sees. Then compacts its view if that
   * is due. In a team it may be due before the request too, since others have written meanwhile. `left` is the answer in whose place
   * it comes: if it is stopped before there is any text, that one is shown again. */
  async ask(name: string | undefined, left?: string): Promise<void> {
    const view = this.team.view(name);
    const due = this.team.names().length === 0 ? undefined : view.check("requestStart");
    if (due !== undefined && (await this.compact(due, name)) === "cancelled") {
      return;
    }
    this.#answerer = name;
    for (let retries = 0; ; retries += 1) {
      const refused = await this.#during("answering", name, (signal) => this.#answer(view, name, signal, left));
      if (refused === undefined) {
        break;
      }
      if (refused.limitTokens !== undefined && refused.limitTokens < this.#settings.window) {
        this.#observer.windowKnown(refused.limitTokens);
      }
      const reason = retries < MOST_RETRIES ? view.check("overflow") : undefined;
      if (reason === undefined || (await this.compact(reason, name)) !== "applied") {
        return this.#observer.failed(refused.message, name, left);
      }
    }
    const reason = view.check("turnEnd");
    if (reason !== undefined) {
      await this.compact(reason, name);
    }
  }

  /** Has an answer written again. The one that is there stays on a branch. */
  async again(id: string, name: string | undefined): Promise<void> {
    this.#leave(id);
    await this.ask(name, id);
  }

  /** Sends a message of the user in other words, in its place. What was there stays on a branch, with the answers to it. */
  async reword(id: string, text: string, addressed: Addressed): Promise<void> {
    this.#leave(id);
    await this.send(text, addressed);
  }

  /** Shows the branch with this message. */
  show(id: string): void {
    this.team.versions.show(id);
    this.#observer.branchChanged();
    this.#observer.changed();
  }

  #leave(id: string): void {
    this.team.versions.leave(id);
    this.#observer.branchChanged();
  }

  /** Compacts the view of this agent, or of the model of the page. Resolves to how it ended; undefined if it could not begin. */
  async compact(reason: Reason, name?: string): Promise<Report["outcome"] | undefined> {
    let outcome: Report["outcome"] | undefined;
    const of = name === undefined ? "" : ` for ${name}`;
    await this.#during("compacting", name, async (signal) => {
      this.#observer.compacting(`Summarizing earlier messages${of} …`);
      const report = await this.team.view(name).compact({
        reason,
        signal,
        onEvent: (event) => {
          if (event.type === "progress" && event.chunks > 1) {
            this.#observer.compacting(`Summarized ${event.done} of ${event.chunks} parts${of} …`);
          } else if (event.type === "retry") {
            this.#observer.compacting(`The summary failed (${event.message}); trying again …`);
          }
        },
      });
      outcome = report.outcome;
      this.#observer.compacted(report);
    });
    return outcome;
  }

  /** Stops the running answer or compaction. */
  stop(): void {
    this.#controller.abort();
  }

  /** Gives a message to the model again: at the end, where it changes nothing that a provider has in its cache. */
  restore({ role, content, name }: ChatMessage): void {
    const who = name ?? (role === "assistant" ? "you" : "I");
    const message: ChatMessage = { role: "user", content: `Earlier, ${who} said:\n${content}` };
    this.team.view(undefined).append(message);
    this.#observer.sent({ message });
    this.#observer.changed();
  }

  /** Undoes the latest compaction of this agent, or of the model of the page. */
  undo(name?: string): void {
    this.team.view(name).undo();
    this.#observer.changed();
  }

  /** Resolves to what the provider says if it refuses the request as too long. */
  async #answer(view: View, name: string | undefined, signal: AbortSignal, left: string | undefined): Promise<Refusal | undefined> {
    const message: ChatMessage = { role: "assistant", content: "", ...(name !== undefined && { name }) };
    // Whoever sees the question sees the answer.
    const asked = view.history().filter(({ role }) => role !== "system").at(-1);
    const only = asked === undefined ? undefined : this.team.onlyFor(asked);
    let usage;
    let refused: Refusal | undefined;
    try {
      const messages = requestOf(await this.#messages(view, name), name);
      for await (const part of answer({ ...endpointOf(this.#settings), messages, signal })) {
        if (part.type === "usage") {
          usage = part.usage;
          continue;
        }
        message.content += part.text;
        this.#observer.received(part.text, { message, only });
      }
      if (message.content === "") {
        throw new AnswerError("The model answered without any text.");
      }
    } catch (error) {
      usage = undefined;
      const problem = error instanceof Error ? error.message : String(error);
      const overflow = signal.aborted || message.content !== "" ? undefined : await contextOverflow(error);
      if (overflow !== undefined) {
        refused = { ...overflow, message: problem };
      } else if (!signal.aborted) {
        this.#observer.failed(problem, name, left);
      }
    }
    if (message.content === "" && signal.aborted && left !== undefined) {
      this.show(left);
    }
    if (message.content !== "") {
      view.append(message, only === undefined ? {} : { audience: only });
    }
    if (usage !== undefined) {
      view.reportUsage(usage);
    }
    this.#observer.answered(message.content === "" ? undefined : message);
    return refused;
  }

  /** What the model gets. Names and identifiers of the question that only earlier messages have bring what these say. */
  async #messages(view: View, name: string | undefined): Promise<ChatMessage[]> {
    const options = { tokens: Math.floor(this.#settings.window / 10) };
    const returned = view.compacted().length === 0 ? undefined : await view.recallReturning(options);
    if (returned === undefined) {
      return view.messages();
    }
    this.#observer.recalled(returned, name);
    return view.messagesWithRecall(options);
  }

  async #during<T>(activity: Activity, name: string | undefined, action: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    this.#controller = new AbortController();
    this.#activity = activity;
    this.#observer.changed();
    try {
      return await action(this.#controller.signal);
    } catch (error) {
      // Another tab has taken over meanwhile, so that nothing can be added here.
      this.#observer.failed(error instanceof Error ? error.message : String(error), name);
      return undefined;
    } finally {
      this.#activity = "nothing";
      this.#observer.changed();
    }
  }
}
