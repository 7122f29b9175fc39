// The compactor of one conversation: the app's messages, the engine that knows them by id, and the driver between them.

import { type Counted, counted } from "../counting/count.js";
import { shareCounting } from "../counting/engine-encoding.js";
import { epitomeError } from "../error.js";
import type {
  Compactor as EngineCompactor,
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
import type { Engine } from "../wasm/engine.js";
import { engineBuffer } from "../wasm/loaded.js";
import type { CompactOptions, Compactor } from "./compactor.js";
import { Driver } from "./driver.js";
import { type Host, nameOf } from "./options.js";
import { Originals } from "./originals.js";
import { plainJson } from "./plain-json.js";
import { type Plan, Plans } from "./plan.js";
import { statusOf } from "./status.js";
import type { SummarizeRequest } from "./summarize.js";

export class Conversation<M extends object> implements Compactor<M> {
  readonly #module: Engine;
  readonly #engine: EngineCompactor;
  readonly #agent: string | undefined;
  readonly #host: Host<M>;
  readonly #originals: Originals<M>;
  readonly #plans = new Plans();
  readonly #driver: Driver;
  readonly #lifetime = new AbortController();
  /** A field of its own, because a signal's `aborted` is slower to read and every method reads it. */
  #disposed = false;
  /** Increases whenever an earlier count of the view is no longer right. */
  #revision = 0;
  /** The epoch of the view that `messages()` last returned. */
  #sentEpoch: number | undefined;

  /** `originals` are the messages that the engine knows, in order. */
  constructor(module: Engine, engine: EngineCompactor, host: Host<M>, originals: readonly M[] = []) {
    this.#module = module;
    this.#engine = engine;
    this.#agent = nameOf(host.agent);
    this.#host = host;
    this.#originals = new Originals(engine.ids(), originals, host.repair);
    const changed = (): void => {
      this.#revision += 1;
      this.#originals.refresh();
    };
    this.#driver = new Driver(engine, host as Host<object>, changed, (request) => this.#completed(request));
  }

  append(messages: M | readonly M[], metadata?: MessageMetadata): string[] {
    const batch: M[] = Array.isArray(messages) ? Array.from(messages) : [messages];
    const ids = this.#originals.next(batch.length);
    this.#appendToEngine(ids, batch, metadata);
    for (let index = 0; index < ids.length; index += 1) {
      this.#originals.add(ids[index] as string, batch[index] as M);
    }
    this.#revision += 1;
    return ids;
  }

  edit(id: string, message: M, metadata?: MessageMetadata): void {
    this.#live().edit(id, message, metadata);
    this.#originals.replace(id, message);
    this.#driver.drain();
  }

  setTodo(text: string): void {
    this.#live().setTodo(String(text));
  }

  status(): Status {
    return statusOf(this.#live().status());
  }

  statusUnder(policy: PolicySpec): Status {
    return statusOf(this.#live().statusUnder(policy));
  }

  plan({ reason = "session-compaction" }: { reason?: Reason } = {}): Plan {
    return this.#plans.next(this.#live(), reason, this.#originals.ids());
  }

  check(phase: Phase): Reason | undefined {
    const reason = this.#live().check(phase);
    this.#driver.drain();
    return reason;
  }

  due(phase: Phase): Reason | undefined {
    return this.#live().due(phase);
  }

  async maintain(phase: Phase, options: Omit<CompactOptions, "reason"> = {}): Promise<Report | undefined> {
    const reason = this.check(phase);
    return reason === undefined ? undefined : this.compact({ ...options, reason });
  }

  async compact(options: CompactOptions = {}): Promise<Report> {
    this.#live();
    const report = await this.#driver.compact(options);
    if (report.outcome === "applied") {
      await this.#recount(options);
    }
    return report;
  }

  messages(): M[] {
    const engine = this.#live();
    this.#sentEpoch = engine.epoch();
    return this.#originals.view(engine);
  }

  findings(): Finding[] {
    return this.#live().findings();
  }

  compacted(): string[] {
    return this.#live().compacted();
  }

  metadata(id: string): StoredMetadata {
    return this.#live().metadata(String(id));
  }

  history(): M[] {
    this.#live();
    return this.#originals.all();
  }

  offloaded(path: string): string | undefined {
    return this.#live().offloaded(String(path));
  }

  undo(): void {
    this.#live().undo();
    this.#driver.drain();
  }

  usage(usage: Usage | object): void {
    this.#live().handleUsage(usage, this.#sentEpoch);
    this.#revision += 1;
  }

  setPolicy(policy: PolicySpec): void {
    const engine = this.#live();
    shareCounting(this.#module, this.#module.countingOf(policy, this.#agent));
    engine.setPolicy(policy);
  }

  snapshot(): string {
    return this.#live().snapshot();
  }

  dispose(): void {
    if (!this.#disposed) {
      this.#disposed = true;
      this.#driver.dispose();
      this.#originals.clear();
      this.#plans.clear();
      this.#lifetime.abort();
    }
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** As one text if the messages are plain JSON; otherwise value by value. */
  #appendToEngine(ids: string[], batch: M[], metadata: MessageMetadata | undefined): void {
    const engine = this.#live();
    const json = plainJson(batch);
    const appended =
      json !== undefined && engine.appendPlain(engineBuffer().write(json), this.#originals.count, metadata);
    if (!appended) {
      engine.append(ids, batch, metadata);
    }
  }

  /** A summarizer request with the messages that it sends, if it sends any. */
  #completed(request: SummaryRequest): SummarizeRequest<M> {
    const { format } = this.#host;
    const messages = this.#originals.asked(this.#engine);
    const prompt = messages.pop();
    return prompt === undefined ? { ...request, format } : { ...request, format, messages, prompt };
  }

  #live(): EngineCompactor {
    if (this.#disposed) {
      throw epitomeError("disposed", "the compactor was disposed of; make another one");
    }
    return this.#engine;
  }

  /** Asks the app to count the new view, if it can. */
  async #recount({ signal, onEvent }: CompactOptions): Promise<void> {
    const { countTokens } = this.#host;
    if (countTokens === undefined || this.#disposed) {
      return;
    }
    const revision = this.#revision;
    let event: Counted = await counted(countTokens, this.#originals.view(this.#live()), [signal, this.#lifetime.signal]);
    if (this.#disposed) {
      return;
    }
    if (event.type === "counted" && revision !== this.#revision) {
      event = { type: "countFailed", message: "the conversation went on while it was counted" };
    }
    if (event.type === "counted") {
      this.#engine.handleCount(event.tokens);
    }
    this.#driver.notify(event, onEvent);
  }
}
