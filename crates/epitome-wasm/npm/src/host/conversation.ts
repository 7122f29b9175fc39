// The compactor of one conversation: the app's messages, the engine that knows them by id, and the driver between them.

import { type Counted, counted } from "../counting/count.js";
import { shareCounting } from "../counting/engine-encoding.js";
import { fieldsOf, messagesOf, reading, textOf } from "../arguments.js";
import { epitomeError, guarded, property } from "../error.js";
import type {
  Compactor as Engine,
  Finding,
  Format,
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
import type { NumericSource } from "../wasm/numeric.js";
import { Calls } from "./calls.js";
import type { CompactIfNeededOptions, CompactOptions, Compactor, RequestContext, SyncReport } from "./compactor.js";
import { Commits } from "./commits.js";
import { Driver } from "./driver.js";
import type { Host } from "./options.js";
import { Originals } from "./originals.js";
import { enter, hold, leave } from "./memory.js";
import { type Readable, readable, sizeOf, sizesOf } from "./plain-json.js";
import { type Plan, Plans } from "./plan.js";
import { Recall, type Recalled, type RecallOptions, type Returned } from "../recall/recall.js";
import { ownId } from "./same.js";
import { statusOf } from "./status.js";
import type { SummarizeRequest } from "./summarize.js";
import { measured } from "./validation.js";
import { type Known, planSync, type Replacement, type SyncPlan } from "./sync.js";

export class Conversation<M extends object> implements Compactor<M> {
  readonly #module: Module;
  readonly #calls: Calls;
  readonly #agent: string | undefined;
  readonly #host: Host<M>;
  readonly #originals: Originals<M>;
  readonly #plans = new Plans();
  readonly #driver: Driver;
  readonly #recall: Recall;
  readonly #commits: Commits;
  readonly #lifetime = new AbortController();
  /** Increases whenever an earlier count of the view is no longer right. */
  #revision = 0;
  /** The epoch of the view that `messages()` last returned. */
  #sentEpoch: number | undefined;

  /** `originals` are the messages that the engine knows, in order, and `stored` those of all branches, if they are known. */
  constructor(module: Module, engine: Engine, host: Host<M>, recall: NumericSource, originals: readonly M[] = [], stored = new Map<string, M>()) {
    this.#module = module;
    this.#calls = new Calls(engine, () => retire(module));
    this.#recall = new Recall(recall, (call) => this.#calls.run(call));
    this.#agent = host.agent;
    this.#host = host;
    const known = originals.slice(0, engine.ids().length);
    const sizes = sizesOf(known);
    const make = (): Originals<M> => new Originals(engine.ids(), known, sizes, engine.nextNumber(), host.repair);
    this.#originals = hold(module, sum(sizes), make);
    enter(module);
    for (const [id, message] of stored) {
      if (this.#originals.find(id) === undefined) {
        const size = sizeOf(message);
        hold(module, size, () => this.#originals.know(id, message, size));
      }
    }
    this.#commits = new Commits(this.#calls, host.commit, (id) => this.#originals.find(id)?.message);
    if (stored.size === 0) {
      this.#originals.ids().forEach((id) => this.#commits.note(id));
    }
    const changed = (): void => {
      this.#revision += 1;
      this.#originals.refresh();
    };
    const commit = this.#commits.isStored ? (): Promise<void> => this.#commits.commit() : undefined;
    this.#driver = new Driver(this.#calls, host as Host<object>, changed, (request) => this.#completed(request), commit);
  }

  append(messages: M | readonly M[], metadata?: MessageMetadata): string[] {
    this.#calls.check();
    const batch = isList(messages) ? messagesOf<M>(messages, "messages", "invalid-message") : [messages];
    // Before the ids are given: a getter of a message may append another one.
    const ids = this.#append(batch, readable(batch), metadata);
    this.#revision += 1;
    return ids;
  }

  sync(messages: readonly M[], metadata?: MessageMetadata): SyncReport {
    this.#calls.check();
    const batch = messagesOf<M>(messages, "messages", "invalid-message");
    const revision = this.#revision;
    const plan = reading("messages", () => planSync(this.#known(), batch), "invalid-message");
    const added = readable(batch.slice(plan.appendFrom), plan.appendFrom);
    const changed = plan.replaced.filter(
      ({ id, message, isEqual }) => !isEqual && !this.#calls.run((engine) => engine.isSame(id, message)),
    );
    const indices = [...plan.inserted, ...changed].map(({ index }) => index);
    sizesOf(indices.map((index) => batch[index]), indices);
    if (indices.length > 0 || plan.removed.length > 0 || plan.head !== undefined) {
      // What the engine refuses, before anything has changed.
      const { length } = batch;
      const all = [...indices, ...Array.from({ length: length - plan.appendFrom }, (_, index) => plan.appendFrom + index)];
      this.#calls.run((engine) => engine.examine(all.map((index) => batch[index]), Uint32Array.from(all)));
    }
    if (revision !== this.#revision) {
      throw epitomeError("busy", "a getter or proxy of a message has changed the conversation; call sync() again afterwards");
    }
    const active = this.#calls.run((engine) => engine.checkpoints());
    const { inserted, left } = this.#changeTo(plan, batch, changed, metadata);
    const appended = this.#append(batch.slice(plan.appendFrom), added, metadata, plan.appendFrom);
    this.#revision += 1;
    this.#driver.drain();
    const now = this.#calls.run((engine) => engine.checkpoints());
    return {
      appended,
      inserted,
      changed: changed.map(({ id }) => id),
      removed: plan.removed,
      left,
      inactive: difference(active, now),
      reactivated: difference(now, active),
    };
  }

  edit(id: string, message: M, metadata?: MessageMetadata): void {
    const name = this.#named(id);
    const size = sizeOf(message);
    const more = size - this.#originals.sizeOf(name);
    this.#calls.run((engine) => hold(this.#module, more, () => engine.edit(name, message, metadata)));
    this.#originals.replace(name, message, size);
    this.#commits.note(name);
    this.#driver.drain();
  }

  insert(message: M, before: string, metadata?: MessageMetadata): string {
    const name = this.#named(before);
    const size = sizeOf(message);
    const [id] = this.#originals.next(1) as [string];
    this.#calls.run((engine) => hold(this.#module, size, () => engine.insert(id, message, name, metadata)));
    this.#originals.insert(this.#originals.ids().indexOf(name), id, message, size);
    this.#commits.note(id);
    this.#pathChanged();
    return id;
  }

  remove(id: string): void {
    const name = this.#named(id);
    const less = -this.#originals.sizeOf(name);
    this.#calls.run((engine) => hold(this.#module, less, () => engine.remove(name)));
    this.#originals.remove(name);
    this.#pathChanged();
  }

  truncate(last?: string): void {
    this.#moveHead(last === undefined ? undefined : this.#named(last, "last"));
  }

  branches(id: string): string[] {
    const name = this.#named(id);
    const before = this.#originals.ids()[this.#originals.ids().indexOf(name) - 1];
    return this.#calls.run((engine) => engine.following(before));
  }

  switchTo(id: string): void {
    const name = textOf(id, "id");
    this.#moveHead(this.#calls.run((engine) => engine.branchWith(name)) ?? name);
  }

  get format(): Format {
    return this.#host.format;
  }

  session(): number {
    return this.#calls.run((engine) => engine.session());
  }

  phase(): Phase {
    return this.#calls.run((engine) => engine.phase());
  }

  setRequestContext(context: RequestContext<M>): void {
    this.#calls.check();
    const { added = [], leftOut = [] } = fieldsOf(context, "context");
    const [more, fewer] = [measured(added, "added"), measured(leftOut, "leftOut")];
    this.#calls.run((engine) => engine.setRequestContext(more, fewer));
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

  async compactIfNeeded(options: CompactIfNeededOptions = {}): Promise<Report | undefined> {
    const { phase, ...fields } = fieldsOf(options, "options");
    const reason = this.check(phase === undefined ? this.#calls.run((engine) => engine.phase()) : phase);
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
    const name = this.#named(id);
    return this.#calls.run((engine) => engine.metadata(name));
  }

  history(): M[] {
    if (this.#calls.isDisposed) {
      this.#calls.check();
    }
    return this.#originals.all();
  }

  recall(query: string, options: RecallOptions = {}): Promise<Recalled> {
    return guarded(() => this.#recall.search(textOf(query, "query"), options));
  }

  recallReturning(options: RecallOptions = {}): Promise<Returned | undefined> {
    return guarded(() => this.#recall.returning(options));
  }

  messagesWithRecall(options: RecallOptions = {}): Promise<M[]> {
    return guarded(async () => {
      const returned = await this.#recall.returning(options);
      const view = this.messages();
      if (returned === undefined) {
        return view;
      }
      const { format } = this.#host;
      const { messages } = this.#module.convert([{ role: "user", content: returned.text }], "openai-chat", format);
      const refused = (list: readonly M[]): number => this.#module.validate([...list], format, false).length;
      const before = refused(view);
      return withAtEnd(view, messages as M[]).find((list) => refused(list) <= before) ?? view;
    });
  }

  offloaded(path: string): string | undefined {
    const name = textOf(path, "path");
    return this.#calls.run((engine) => engine.offloaded(name));
  }

  undo(): void {
    this.#calls.run((engine) => engine.undo());
    this.#driver.drain();
  }

  reportUsage(usage: Usage | object | null | undefined): void {
    this.#calls.check();
    if (usage !== undefined && usage !== null) {
      this.#calls.run((engine) => engine.handleUsage(usage, this.#sentEpoch));
      this.#revision += 1;
      this.#driver.drain();
    }
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

  commit(): Promise<void> {
    return guarded(() => {
      this.#calls.check();
      return this.#commits.commit();
    });
  }

  notes(): string {
    return this.#calls.run((engine) => engine.summarizerNotes());
  }

  unknownRecords(): string[] {
    return this.#calls.run((engine) => engine.unknownRecords());
  }

  dispose(): void {
    this.#calls.whenFree(() => {
      if (!this.#calls.isDisposed) {
        this.#driver.dispose();
        leave(this.#module, this.#originals.size);
        this.#originals.clear();
        this.#plans.clear();
        this.#recall.free();
        this.#lifetime.abort();
      }
    });
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** As one text if the messages are plain JSON; otherwise value by value. */
  #append(batch: readonly M[], { json, sizes }: Readable, metadata: MessageMetadata | undefined, first = 0): string[] {
    const ids = this.#originals.next(batch.length);
    this.#calls.run((engine) =>
      hold(this.#module, sum(sizes), () => {
        const number = this.#originals.nextNumber;
        const isPlain = json !== undefined && engine.appendPlain(bufferOf(this.#module).write(json), number, first, metadata);
        if (!isPlain) {
          engine.append(ids, [...batch], first, metadata);
        }
      }),
    );
    for (const [index, id] of ids.entries()) {
      this.#originals.add(id, batch[index] as M, sizes[index] as number);
      this.#commits.note(id);
    }
    return ids;
  }

  /** Makes all changes of a plan but the messages at its end. Returns the ids of those that it inserts, and of those that are
   * on another branch then. */
  #changeTo(
    plan: SyncPlan<M>,
    batch: readonly M[],
    changed: readonly Replacement<M>[],
    metadata: MessageMetadata | undefined,
  ): Pick<SyncReport, "inserted" | "left"> {
    const inserted = plan.inserted.map(({ before, index }) => this.insert(batch[index] as M, before, metadata));
    plan.removed.forEach((id) => this.remove(id));
    const left = plan.head === undefined ? [] : this.#moveHead(plan.head.id);
    for (const { id, message } of changed) {
      this.edit(id, message, metadata);
    }
    for (const { id, message, isEqual } of plan.replaced) {
      if (!isEqual) {
        this.#commits.note(id);
      }
      if (this.#originals.find(id)?.message !== message) {
        const size = sizeOf(message);
        hold(this.#module, size - this.#originals.sizeOf(id), () => this.#originals.replace(id, message, size));
      }
    }
    return { inserted, left };
  }

  /** Returns the ids of the messages that leave the conversation. */
  #moveHead(id: string | undefined): string[] {
    const [last, ...joined] = this.#calls.run((engine) => engine.moveHead(id));
    const left = this.#originals.follow(last, joined);
    this.#pathChanged();
    return left;
  }

  #pathChanged(): void {
    this.#plans.clear();
    this.#revision += 1;
    this.#driver.drain();
  }

  #known(): Known<M> {
    return {
      path: this.#originals.path,
      views: this.#originals.views,
      following: (id) =>
        this.#calls.run((engine) => engine.following(id)).flatMap((next) => this.#originals.find(next) ?? { id: next, message: undefined, size: 0 }),
      isSame: (id, message) => this.#calls.run((engine) => engine.isSame(id, message)),
    };
  }

  /** The compactor's id of a message that the app names by that or by its own id. */
  #named(id: string, name = "id"): string {
    const given = textOf(id, name);
    if (this.#originals.find(given) !== undefined) {
      return given;
    }
    const own = this.#originals.path.filter(({ message }) => message !== undefined && ownId(message) === given);
    return own.at(-1)?.id ?? given;
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

/** The ways to put a message at the end: as it is, or its parts into a copy of the last one, for a provider whose roles
 * alternate. */
function withAtEnd<M extends object>(view: readonly M[], added: readonly M[]): M[][] {
  const last = view.at(-1);
  const ways = [[...view, ...added]];
  if (property(last, "role") !== property(added[0], "role")) {
    return ways;
  }
  for (const field of ["parts", "content"]) {
    const [own, more] = [property(last, field), property(added[0], field)];
    if (last !== undefined && Array.isArray(own) && Array.isArray(more)) {
      ways.push([...view.slice(0, -1), { ...last, [field]: [...own, ...more] }]);
    }
  }
  return ways;
}

/** What the second list does not have, in order. */
function difference<T>(these: Iterable<T>, others: Iterable<T>): T[] {
  const known = new Set(others);
  return Array.from(these).filter((value) => !known.has(value));
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((sum, size) => sum + size, 0);
}
