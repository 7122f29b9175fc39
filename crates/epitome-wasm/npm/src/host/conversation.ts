// The compactor of one conversation: the app's messages, the engine that knows them by id, and the driver between them.

import { type Counted, counted } from "../counting/count.js";
import { shareCounting } from "../counting/engine-encoding.js";
import { fieldsOf, messagesOf, textOf } from "../arguments.js";
import { guarded } from "../error.js";
import type {
  Compactor as Engine,
  Finding,
  MessageMetadata,
  Phase,
  PolicySpec,
  Reason,
  Report,
  Status,
  StoredMetadata,
  SummaryRequest,
  Usage,
} from "../glue/epitome.js";
import type { Engine as Module } from "../wasm/engine.js";
import { bufferOf, retire } from "../wasm/instances.js";
import { Calls } from "./calls.js";
import type { CompactOptions, Compactor } from "./compactor.js";
import { Driver } from "./driver.js";
import type { Host } from "./options.js";
import { Originals } from "./originals.js";
import { enter, hold, leave } from "./memory.js";
import { readable, sizeOf, sizesOf } from "./plain-json.js";
import { type Plan, Plans } from "./plan.js";
import { statusOf } from "./status.js";
import type { SummarizeRequest } from "./summarize.js";

export class Conversation<M extends object> implements Compactor<M> {
  readonly #module: Module;
  readonly #calls: Calls;
  readonly #agent: string | undefined;
  readonly #host: Host<M>;
  readonly #originals: Originals<M>;
  readonly #plans = new Plans();
  readonly #driver: Driver;
  readonly #lifetime = new AbortController();
  /** Increases whenever an earlier count of the view is no longer right. */
  #revision = 0;
  /** The epoch of the view that `messages()` last returned. */
  #sentEpoch: number | undefined;

  /** `originals` are the messages that the engine knows, in order. */
  constructor(module: Module, engine: Engine, host: Host<M>, originals: readonly M[] = []) {
    this.#module = module;
    this.#calls = new Calls(engine, () => retire(module));
    this.#agent = host.agent;
    this.#host = host;
    const known = originals.slice(0, engine.ids().length);
    const sizes = sizesOf(known);
    this.#originals = hold(module, sum(sizes), () => new Originals(engine.ids(), known, host.repair, sizes));
    enter(module);
    const changed = (): void => {
      this.#revision += 1;
      this.#originals.refresh();
    };
    this.#driver = new Driver(this.#calls, host as Host<object>, changed, (request) => this.#completed(request));
  }

  append(messages: M | readonly M[], metadata?: MessageMetadata): string[] {
    this.#calls.check();
    const batch = isList(messages) ? messagesOf<M>(messages, "messages", "invalid-message") : [messages];
    // Before the ids are given: a getter of a message may append another one.
    const { json, sizes } = readable(batch);
    const ids = this.#originals.next(batch.length);
    this.#calls.run((engine) => hold(this.#module, sum(sizes), () => this.#appendTo(engine, ids, batch, json, metadata)));
    for (let index = 0; index < ids.length; index += 1) {
      this.#originals.add(ids[index] as string, batch[index] as M, sizes[index] as number);
    }
    this.#revision += 1;
    return ids;
  }

  edit(id: string, message: M, metadata?: MessageMetadata): void {
    const name = textOf(id, "id");
    const size = sizeOf(message);
    const more = size - this.#originals.sizeOf(name);
    this.#calls.run((engine) => hold(this.#module, more, () => engine.edit(name, message, metadata)));
    this.#originals.replace(name, message, size);
    this.#driver.drain();
  }

  setTodo(text: string): void {
    const todo = textOf(text, "text");
    this.#calls.run((engine) => engine.setTodo(todo));
  }

  status(): Status {
    return statusOf(this.#calls.run((engine) => engine.status()));
  }

  statusUnder(policy: PolicySpec): Status {
    return statusOf(this.#calls.run((engine) => engine.statusUnder(policy)));
  }

  plan(options: { reason?: Reason } = {}): Plan {
    const { reason = "session-compaction" } = fieldsOf(options, "options");
    return this.#calls.run((engine) => this.#plans.next(engine, bufferOf(this.#module), reason, this.#originals.ids()));
  }

  check(phase: Phase): Reason | undefined {
    const reason = this.#calls.run((engine) => engine.check(phase));
    this.#driver.drain();
    return reason;
  }

  due(phase: Phase): Reason | undefined {
    return this.#calls.run((engine) => engine.due(phase));
  }

  async maintain(phase: Phase, options: Omit<CompactOptions, "reason"> = {}): Promise<Report | undefined> {
    const fields = fieldsOf(options, "options");
    const reason = this.check(phase);
    return reason === undefined ? undefined : this.compact({ ...fields, reason });
  }

  compact(options: CompactOptions = {}): Promise<Report> {
    return guarded(async () => {
      this.#calls.check();
      const fields = fieldsOf(options, "options");
      const report = await this.#driver.compact(fields);
      if (report.outcome === "applied") {
        await this.#recount(fields);
      }
      return report;
    });
  }

  messages(): M[] {
    return this.#calls.run((engine) => {
      this.#sentEpoch = engine.epoch();
      return this.#originals.view(engine);
    });
  }

  findings(): Finding[] {
    return this.#calls.run((engine) => engine.findings());
  }

  compacted(): string[] {
    return this.#calls.run((engine) => engine.compacted());
  }

  metadata(id: string): StoredMetadata {
    const name = textOf(id, "id");
    return this.#calls.run((engine) => engine.metadata(name));
  }

  history(): M[] {
    if (this.#calls.isDisposed) {
      this.#calls.check();
    }
    return this.#originals.all();
  }

  offloaded(path: string): string | undefined {
    const name = textOf(path, "path");
    return this.#calls.run((engine) => engine.offloaded(name));
  }

  undo(): void {
    this.#calls.run((engine) => engine.undo());
    this.#driver.drain();
  }

  usage(usage: Usage | object): void {
    this.#calls.run((engine) => engine.handleUsage(usage, this.#sentEpoch));
    this.#revision += 1;
    this.#driver.drain();
  }

  setPolicy(policy: PolicySpec): void {
    this.#calls.run((engine) => {
      shareCounting(this.#module, this.#module.countingOf(policy, this.#agent));
      engine.setPolicy(policy);
    });
  }

  snapshot(): string {
    return this.#calls.run((engine) => engine.snapshot());
  }

  dispose(): void {
    this.#calls.whenFree(() => {
      if (!this.#calls.isDisposed) {
        this.#driver.dispose();
        leave(this.#module, this.#originals.size);
        this.#originals.clear();
        this.#plans.clear();
        this.#lifetime.abort();
      }
    });
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** As one text if the messages are plain JSON; otherwise value by value. */
  #appendTo(engine: Engine, ids: string[], batch: M[], json: string | undefined, metadata: MessageMetadata | undefined): void {
    const appended =
      json !== undefined && engine.appendPlain(bufferOf(this.#module).write(json), this.#originals.count, metadata);
    if (!appended) {
      engine.append(ids, batch, metadata);
    }
  }

  /** A summarizer request with the messages that it sends, if it sends any. */
  #completed(request: SummaryRequest): SummarizeRequest<M> {
    const { format } = this.#host;
    const messages = this.#calls.run((engine) => this.#originals.asked(engine));
    const prompt = messages.pop();
    return prompt === undefined ? { ...request, format } : { ...request, format, messages, prompt };
  }

  /** Asks the app to count the new view, if it can. */
  async #recount({ signal, onEvent }: CompactOptions): Promise<void> {
    const { countTokens } = this.#host;
    if (countTokens === undefined || this.#calls.isDisposed) {
      return;
    }
    const revision = this.#revision;
    const view = this.#calls.run((engine) => this.#originals.view(engine));
    let event: Counted = await counted(countTokens, view, [signal, this.#lifetime.signal]);
    if (this.#calls.isDisposed) {
      return;
    }
    if (event.type === "counted" && revision !== this.#revision) {
      event = { type: "countFailed", message: "the conversation went on while it was counted" };
    }
    if (event.type === "counted") {
      const { tokens } = event;
      this.#calls.run((engine) => engine.handleCount(tokens));
    }
    this.#driver.notify(event, onEvent);
    this.#driver.drain();
  }
}

/** True for a list of messages. What throws when it is asked is one message, whose reader says what is wrong with it. */
function isList<M>(messages: M | readonly M[]): messages is readonly M[] {
  try {
    return Array.isArray(messages);
  } catch {
    return false;
  }
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((sum, size) => sum + size, 0);
}
