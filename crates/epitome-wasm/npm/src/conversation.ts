// A conversation: the app's messages, the engine that knows them by id, and the driver between them.

import type { CompactOptions, Compactor } from "./compactor.js";
import { type Counted, counted } from "./count.js";
import { Driver } from "./driver.js";
import { room } from "./engine.js";
import { countingAtOnce } from "./engine-encoding.js";
import { epitomeError } from "./error.js";
import type {
  Compactor as Engine,
  MessageMetadata,
  Phase,
  PolicySpec,
  Reason,
  Report,
  Status,
  Usage,
} from "./glue/epitome.js";
import type { Host } from "./host.js";
import { Originals } from "./originals.js";
import { plainJson } from "./plain.js";
import { type Plan, Plans } from "./plan.js";
import { statusOf } from "./status.js";

export class Conversation<M extends object> implements Compactor<M> {
  readonly #engine: Engine;
  readonly #host: Host<M>;
  readonly #originals: Originals<M>;
  readonly #plans = new Plans();
  readonly #driver: Driver;
  readonly #life = new AbortController();
  /** True once the life has ended; a signal takes longer to tell. */
  #disposed = false;
  /** Another number whenever what was counted before no longer holds. */
  #revision = 0;
  /** Which view the app was last given to send. */
  #sent: number | undefined;

  /** `originals` are the messages that the engine knows, in order. */
  constructor(engine: Engine, host: Host<M>, originals: readonly M[] = []) {
    this.#engine = engine;
    this.#host = host;
    this.#originals = new Originals(engine.ids(), originals);
    this.#driver = new Driver(engine, host, () => {
      this.#revision += 1;
      this.#originals.refresh();
    });
  }

  append(messages: M | readonly M[], metadata?: MessageMetadata): string[] {
    const batch: M[] = Array.isArray(messages) ? Array.from(messages) : [messages];
    const ids = this.#originals.next(batch.length);
    this.#take(ids, batch, metadata);
    for (let at = 0; at < ids.length; at += 1) {
      this.#originals.add(ids[at] as string, batch[at] as M);
    }
    this.#revision += 1;
    return ids;
  }

  edit(id: string, message: M, metadata?: MessageMetadata): void {
    this.#live().edit(id, message, metadata);
    this.#originals.reword(id, message);
    this.#driver.drain();
  }

  setTodo(text: string): void {
    this.#live().setTodo(String(text));
  }

  status(): Status {
    return statusOf(this.#live().status());
  }

  statusUnder(policy: PolicySpec): Status {
    return this.#live().statusUnder(policy);
  }

  plan({ reason = "manual" }: { reason?: Reason } = {}): Plan {
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
    this.#sent = engine.epoch();
    return this.#originals.view(engine);
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
    this.#live().handleUsage(usage, this.#sent);
    this.#revision += 1;
  }

  setPolicy(policy: PolicySpec): void {
    const engine = this.#live();
    countingAtOnce(() => engine.setPolicy(policy));
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
      this.#life.abort();
    }
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #take(ids: string[], batch: M[], metadata: MessageMetadata | undefined): void {
    const engine = this.#live();
    const json = plainJson(batch);
    const taken = json !== undefined && engine.appendPlain(room().write(json), this.#originals.count, metadata);
    if (!taken) {
      engine.append(ids, batch, metadata);
    }
  }

  #live(): Engine {
    if (this.#disposed) {
      throw epitomeError("disposed", "the compactor was disposed of; make another one");
    }
    return this.#engine;
  }

  /** Has the new view counted, where the app can. */
  async #recount({ signal, onEvent }: CompactOptions): Promise<void> {
    const { countTokens } = this.#host;
    if (countTokens === undefined || this.#disposed) {
      return;
    }
    const revision = this.#revision;
    let event: Counted = await counted(countTokens, this.#originals.view(this.#live()), [signal, this.#life.signal]);
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
