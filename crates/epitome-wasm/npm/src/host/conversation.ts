// The compactor of one conversation: the app's messages, the engine that knows them by id, and the driver between them.

import { fieldsOf, messagesOf, optionalSignal, reading, textOf } from "../arguments.js";
import { epitomeError, property } from "../error.js";
import type { Compactor as Engine, Format, MessageMetadata, PolicySpec } from "../glue/epitome.js";
import type { Engine as Module } from "../wasm/instances.js";
import { bufferOf, retire } from "../wasm/instances.js";
import { AgentView, type Team } from "./agent.js";
import { conversion } from "./agent-formats.js";
import { Calls } from "./calls.js";
import { Commits, linesOf } from "./commits.js";
import type { Agent, AppendOptions, Compactor, SaveState, SyncReport } from "./compactor.js";
import { type Form, Forms } from "./forms.js";
import { enter, hold, leave } from "./memory.js";
import type { MessageOf } from "./format-messages.js";
import type { AgentFormatOptions, AgentOptions, Changes, Host } from "./options.js";
import { Originals } from "./originals.js";
import { pause } from "./pause.js";
import { type Readable, readable, sizeOf, sizesOf } from "./plain-json.js";
import { checkAborted, SLICE, sliceEnd } from "./slices.js";
import { type Known, planSync, type Replacement, type SyncPlan } from "./sync.js";
import { ConversationView, type ViewSources } from "./view.js";

export class Conversation<M extends object> extends ConversationView<M> implements Compactor<M> {
  readonly #team: Calls;
  readonly #sources: ViewSources;
  readonly #commits: Commits;
  readonly #agents = new Map<string, AgentView<M>>();
  readonly #forms: Forms;
  /** What was set last for the team and its agents. */
  #policy: PolicySpec | undefined;

  /** `originals` are the messages that the engine knows, in order, `others` those that are only for some agents, `stored`
   * those of all branches, if they are known, and `forms` what agents have written in formats of their own. */
  constructor(module: Module, engine: Engine, host: Host<M>, sources: ViewSources, originals: readonly M[] = [], others = new Map<string, M>(), stored = new Map<string, M>(), forms: Iterable<Form> = []) {
    const calls = new Calls(engine, () => retire(module));
    const known = originals.slice(0, engine.ids().length);
    const sizes = sizesOf(known);
    const make = (): Originals<M> => new Originals(engine.ids(), known, sizes, engine.nextNumber(), host.repair);
    const messages = hold(module, sum(sizes), make);
    const own = new Forms();
    const commits = new Commits(calls, host.commit, (id) => messages.find(id)?.message, (id) => own.get(id));
    super(module, calls, host, sources, messages, commits.isStored ? (): Promise<void> => commits.commit() : undefined);
    this.#team = calls;
    this.#sources = sources;
    this.#commits = commits;
    commits.onStored = (): void => this.followRecall();
    this.#forms = own;
    this.#policy = host.policy;
    enter(module);
    const asides = new Set(engine.asides());
    for (const [id, message] of [...others, ...stored]) {
      if (this.originals.find(id) === undefined) {
        const size = sizeOf(message);
        const isAside = asides.has(id);
        hold(module, size, () => (isAside ? this.originals.addAside(id, message, size) : this.originals.know(id, message, size)));
      }
    }
    for (const form of forms) {
      if (form.ids.every((id) => this.originals.find(id) !== undefined)) {
        own.add(form);
      }
    }
    if (stored.size === 0) {
      [...this.originals.ids(), ...others.keys()].forEach((id) => this.#commits.note(id));
    }
  }

  agent(name: string, options?: AgentOptions<M>): Agent<M>;
  agent<F extends Format>(name: string, options: AgentFormatOptions<MessageOf<F>, F>): Agent<M, MessageOf<F>>;
  agent<S extends object>(name: string, options: AgentFormatOptions<S>): Agent<M, S>;
  agent(name: string, options: AgentOptions<M> & { format?: Format } = {}): Agent<M> {
    this.calls.check();
    const key = textOf(name, "name");
    const { policy, format, ...own } = fieldsOf(options, "options");
    const named = format === undefined ? undefined : textOf(format, "format", "unknown-format");
    const known = this.#agents.get(key);
    if (known !== undefined) {
      if (named !== undefined && named !== known.format) {
        throw epitomeError("invalid-option", `format: the agent ${JSON.stringify(key)} was asked for as ${known.format}, not as ${named}`);
      }
      return known;
    }
    // The kept index is of the messages that are for all.
    const { recallIndex: _, ...shared } = this.host;
    const isKnown = this.calls.run((engine) => engine.agents()).includes(key);
    const sends = named ?? this.calls.run((engine) => engine.agentFormat(key)) ?? this.host.format;
    const other = sends === this.host.format ? undefined : conversion(this.module);
    if (named !== undefined) {
      this.calls.run((engine) => engine.setAgentFormat(key, named));
    }
    const host = { ...shared, ...own, agent: key, format: sends as Format };
    const commit = this.#commits.isStored ? (): Promise<void> => this.#commits.commit() : undefined;
    const team: Team<M> = {
      append: (messages, metadata) => this.append(messages, metadata),
      edit: (id, message) => this.edit(id, message),
      remove: (id) => this.remove(id),
      forms: this.#forms,
      keep: (form) => this.#keep(form),
    };
    const view: ConstructorParameters<typeof AgentView<M>> = [this.module, this.#team, host, this.#sources, this.originals, commit, team];
    const agent = other === undefined ? new AgentView(...view) : other.FormatAgent.of(other.validation, this.host.format, own, view);
    const spec = policy ?? (isKnown ? undefined : this.#policy);
    agent.noteModels(spec, []);
    if (own.summarize !== undefined) {
      agent.noteSummarizer();
    }
    if (spec !== undefined && (policy !== undefined || hasAgent(spec, key))) {
      agent.setPolicy(spec);
    }
    this.#agents.set(key, agent);
    return agent;
  }

  override setPolicy(policy: PolicySpec): void {
    super.setPolicy(policy);
    this.#policy = policy;
  }

  agents(): string[] {
    const known = this.calls.run((engine) => engine.agents());
    return Array.from(new Set([...known, ...this.#agents.keys()])).sort();
  }

  completeTask(name: string): void {
    const task = textOf(name, "name");
    this.calls.run((engine) => engine.completeTask(task));
  }

  append(messages: M | readonly M[], metadata?: MessageMetadata): string[] {
    this.calls.check();
    const batch = isList(messages) ? messagesOf<M>(messages, "messages", "invalid-message") : [messages];
    // Before the ids are given: a getter of a message may append another one.
    const ids = this.#append(batch, readable(batch), metadata);
    this.revision += 1;
    return ids;
  }

  async appendInSlices(messages: readonly M[], options: AppendOptions = {}): Promise<string[]> {
    this.calls.check();
    const { metadata, signal: given } = fieldsOf(options, "options");
    const signal = optionalSignal(given);
    return this.#appendSlices(messagesOf<M>(messages, "messages", "invalid-message"), 0, metadata, signal);
  }

  sync(messages: readonly M[], metadata?: MessageMetadata): SyncReport {
    this.calls.check();
    return this.#sync(this.#synced(messages, metadata), metadata, () => messages.length).report;
  }

  async syncInSlices(messages: readonly M[], options: AppendOptions = {}): Promise<SyncReport> {
    this.calls.check();
    const { metadata, signal: given } = fieldsOf(options, "options");
    const signal = optionalSignal(given);
    const batch = this.#synced(messages, metadata);
    checkAborted(signal, 0, batch.length);
    // A long message is appended afterwards, in slices of its own.
    const isLong = (from: number): boolean => from < batch.length && sizeOf(batch[from], from) > SLICE;
    const { report, next } = this.#sync(batch, metadata, (from) => (isLong(from) ? from : sliceEnd(batch, from)));
    if (next < batch.length) {
      await pause();
      report.appended.push(...(await this.#appendSlices(batch, next, metadata, signal)));
    }
    return report;
  }

  edit(id: string, message: M, metadata?: MessageMetadata): void {
    const name = this.named(id);
    const size = sizeOf(message);
    const more = size - this.originals.sizeOf(name);
    this.calls.run((engine) => hold(this.module, more, () => engine.edit(name, message, metadata)));
    this.originals.replace(name, message, size);
    this.#changed(name);
    this.driver.drain();
  }

  insert(message: M, before: string, metadata?: MessageMetadata): string {
    const name = this.named(before);
    const size = sizeOf(message);
    const [id] = this.originals.next(1) as [string];
    this.calls.run((engine) => hold(this.module, size, () => engine.insert(id, message, name, metadata)));
    this.originals.take(1);
    if (isAside(metadata)) {
      this.originals.addAside(id, message, size);
    } else {
      this.originals.insert(this.originals.positionOf(name), id, message, size);
    }
    this.#commits.note(id);
    this.#pathChanged();
    return id;
  }

  remove(id: string): void {
    const name = this.named(id);
    const less = -this.originals.sizeOf(name);
    this.calls.run((engine) => hold(this.module, less, () => engine.remove(name)));
    this.originals.remove(name);
    this.#changed(name);
    this.#pathChanged();
  }

  truncate(last?: string): void {
    this.#moveHead(last === undefined ? undefined : this.named(last, "last"));
  }

  branches(id: string): string[] {
    const name = this.named(id);
    const before = this.originals.ids()[this.originals.positionOf(name) - 1];
    return this.calls.run((engine) => engine.following(before));
  }

  switchTo(id: string): void {
    const name = textOf(id, "id");
    this.#moveHead(this.calls.run((engine) => engine.branchWith(name)) ?? name);
  }

  snapshot(): string {
    return this.calls.run((engine) => engine.snapshot());
  }

  async snapshotInSlices(options: { signal?: AbortSignal } = {}): Promise<string> {
    const signal = optionalSignal(fieldsOf(options, "options").signal);
    const check = (): void => {
      if (signal?.aborted === true) {
        throw epitomeError("aborted", "the snapshot was aborted before it was complete", signal.reason);
      }
    };
    check();
    return linesOf(this.#team, this.calls.run((engine) => engine.beginSnapshot()), check);
  }

  async commit(): Promise<void> {
    this.calls.check();
    return this.#commits.commit();
  }

  saveState(id?: string): SaveState {
    this.calls.check();
    return this.#commits.state(id === undefined ? undefined : this.named(id));
  }

  contents(): Changes {
    return this.#commits.all(this.originals.allIds());
  }

  unknownRecords(): string[] {
    return this.calls.run((engine) => engine.unknownRecords());
  }

  override dispose(): void {
    this.calls.whenFree(() => {
      if (!this.calls.isDisposed) {
        this.#agents.forEach((agent) => agent.dispose());
        const { size } = this.originals;
        super.dispose();
        leave(this.module, size);
      }
    });
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** Appends the messages from an index on, slice by slice. */
  async #appendSlices(all: readonly M[], first: number, metadata: MessageMetadata | undefined, signal: AbortSignal | undefined): Promise<string[]> {
    const ids: string[] = [];
    for (let from = first; from < all.length; ) {
      checkAborted(signal, from, all.length);
      this.calls.check();
      const end = sliceEnd(all, from);
      const slice = all.slice(from, end);
      const added = readable(slice, from);
      if (slice.length === 1 && (added.sizes[0] ?? 0) > SLICE) {
        const check = (): void => {
          checkAborted(signal, from, all.length);
          this.calls.check();
        };
        ids.push(...(await this.#appendLong(slice, added, metadata, from, check)));
      } else {
        ids.push(...this.#append(slice, added, metadata, from));
        // What `messages()` asks first is known for each slice then, and not for all at once. A long message has filled its slice.
        this.calls.read((engine) => engine.isUntouched());
      }
      this.revision += 1;
      from = end;
      await pause();
    }
    return ids;
  }

  /** Appends one long message in slices: it is read, counted part by part and appended. `check` throws if it is to end between them. */
  async #appendLong(batch: readonly M[], added: Readable, metadata: MessageMetadata | undefined, index: number, check: () => void): Promise<string[]> {
    const [id] = this.originals.next(1);
    const long = added.json === undefined ? this.calls.run((engine) => engine.readLong(id as string, batch[0], index, metadata)) : undefined;
    const forget = (): void => {
      try {
        long?.free();
      } catch {
        // The module is broken, and given up as a whole.
      }
    };
    const next = async (): Promise<void> => {
      await pause();
      try {
        check();
      } catch (error) {
        forget();
        throw error;
      }
    };
    await next();
    if (long === undefined) {
      return this.#append(batch, added, metadata, index);
    }
    while (this.calls.run((engine) => engine.countLong(long))) {
      await next();
    }
    await next();
    if (this.originals.next(1)[0] !== id) {
      // Another message has its id by now.
      forget();
      return this.#append(batch, added, metadata, index);
    }
    return this.#take(batch, added.sizes, metadata, (engine) => engine.appendLong(long));
  }

  /** The messages that the conversation is to be made the same as. */
  #synced(messages: readonly M[], metadata: MessageMetadata | undefined): readonly M[] {
    if (property(metadata, "audience") !== undefined) {
      throw epitomeError("invalid-option", "metadata.audience: sync() is for the messages of all; append() those that are only for some agents");
    }
    return this.originals.withoutAsides(messagesOf<M>(messages, "messages", "invalid-message"));
  }

  /** Makes the conversation the same as this array up to an index, which `until` gives for that of the first new message at its
   * end. Returns that index. */
  #sync(batch: readonly M[], metadata: MessageMetadata | undefined, until: (from: number) => number): { report: SyncReport; next: number } {
    const revision = this.revision;
    const plan = reading("messages", () => planSync(this.#known(), batch), "invalid-message");
    const next = until(plan.appendFrom);
    const tail = batch.slice(plan.appendFrom, next);
    const added = readable(tail, plan.appendFrom);
    const changed = plan.replaced.filter(
      ({ id, message, isEqual }) => !isEqual && !this.calls.run((engine) => engine.isSame(id, message)),
    );
    const indices = [...plan.inserted, ...changed].map(({ index }) => index);
    sizesOf(indices.map((index) => batch[index]), indices);
    if (indices.length > 0 || plan.removed.length > 0 || plan.head !== undefined) {
      // What the engine refuses, before anything has changed.
      const all = [...indices, ...tail.map((_, index) => plan.appendFrom + index)];
      this.calls.run((engine) => engine.examine(all.map((index) => batch[index]), Uint32Array.from(all)));
    }
    if (revision !== this.revision) {
      throw epitomeError("busy", "a getter or proxy of a message has changed the conversation; call sync() again afterwards");
    }
    const active = this.calls.run((engine) => engine.checkpoints());
    const { inserted, left } = this.#changeTo(plan, batch, changed, metadata);
    const appended = this.#append(tail, added, metadata, plan.appendFrom);
    this.revision += 1;
    this.driver.drain();
    const now = this.calls.run((engine) => engine.checkpoints());
    const report = {
      appended,
      inserted,
      changed: changed.map(({ id }) => id),
      removed: plan.removed,
      left,
      inactive: difference(active, now),
      reactivated: difference(now, active),
    };
    return { report, next };
  }

  /** As one text if that is faster; otherwise value by value. */
  #append(batch: readonly M[], { json, sizes }: Readable, metadata: MessageMetadata | undefined, first = 0): string[] {
    return this.#take(batch, sizes, metadata, (engine, ids) => {
      const number = this.originals.nextNumber;
      const isPlain = json !== undefined && engine.appendPlain(bufferOf(this.module).write(json), number, first, metadata);
      if (!isPlain) {
        engine.append(ids, [...batch], first, metadata);
      }
    });
  }

  /** Keeps messages that `append` appends to the engine. */
  #take(batch: readonly M[], sizes: readonly number[], metadata: MessageMetadata | undefined, append: (engine: Engine, ids: string[]) => void): string[] {
    const ids = this.originals.next(batch.length);
    this.calls.run((engine) => hold(this.module, sum(sizes), () => append(engine, ids)));
    this.originals.take(ids.length);
    for (const [index, id] of ids.entries()) {
      if (isAside(metadata)) {
        this.originals.addAside(id, batch[index] as M, sizes[index] as number);
      } else {
        this.originals.add(id, batch[index] as M, sizes[index] as number);
      }
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
      if (this.originals.find(id)?.message !== message) {
        const size = sizeOf(message);
        hold(this.module, size - this.originals.sizeOf(id), () => this.originals.replace(id, message, size));
      }
    }
    return { inserted, left };
  }

  /** Returns the ids of the messages that leave the conversation. */
  #moveHead(id: string | undefined): string[] {
    const [last, ...joined] = this.calls.run((engine) => engine.moveHead(id));
    const left = this.originals.follow(last, joined);
    this.#pathChanged();
    return left;
  }

  #keep(form: Form): void {
    this.#forms.add(form);
    this.#commits.note(form.ids[0] as string);
  }

  /** Takes note of a message that has changed: what an agent has written in its place is not the same any more. */
  #changed(id: string): void {
    for (const name of [id, this.#forms.drop(id)]) {
      if (name !== undefined && this.originals.find(name) !== undefined) {
        this.#commits.note(name);
      }
    }
  }

  #pathChanged(): void {
    this.plans.clear();
    this.revision += 1;
    this.driver.drain();
  }

  #known(): Known<M> {
    return {
      path: this.originals.path,
      views: this.originals.views,
      following: (id) =>
        this.calls.run((engine) => engine.following(id)).flatMap((next) => this.originals.find(next) ?? { id: next, message: undefined, size: 0 }),
      isSame: (id, message) => this.calls.run((engine) => engine.isSame(id, message)),
    };
  }
}

/** True for messages that are only for some agents. */
function isAside(metadata: MessageMetadata | undefined): boolean {
  return property(metadata, "audience") !== undefined;
}

/** True if a policy says something of an agent. */
function hasAgent(policy: PolicySpec, name: string): boolean {
  const agents: unknown = property(policy, "agents");
  return typeof agents === "object" && agents !== null && Object.hasOwn(agents, name);
}

/** True for a list of messages. What throws when it is asked is one message, whose reader says what is wrong with it. */
function isList<M>(messages: M | readonly M[]): messages is readonly M[] {
  try {
    return Array.isArray(messages);
  } catch {
    return false;
  }
}

/** What the second list does not have, in order. */
function difference<T>(these: Iterable<T>, others: Iterable<T>): T[] {
  const known = new Set(others);
  return Array.from(these).filter((value) => !known.has(value));
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((sum, size) => sum + size, 0);
}
