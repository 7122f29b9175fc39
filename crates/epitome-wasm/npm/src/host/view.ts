// The view of one conversation or one agent: what the model gets of the messages, how full the window is, and compactions.

import { type Counted, counted } from "../counting/count.js";
import { fieldsOf, messagesOf, textOf } from "../arguments.js";
import { guarded, property } from "../error.js";
import type {
  Compactor as Engine,
  Finding,
  Format,
  Layers,
  Memory,
  Phase,
  PolicySpec,
  Reason,
  Report,
  Status,
  StoredMetadata,
  StructuredState,
  SummaryRequest,
  Usage,
} from "../glue/epitome.js";
import type { Modules } from "../wasm/engine.js";
import type { Engine as Module } from "../wasm/instances.js";
import { bufferOf } from "../wasm/instances.js";
import type { Economics } from "../models/economics.js";
import type { ModelInfo } from "../models/models.js";
import type { EngineCalls } from "./calls.js";
import type { CompactIfNeededOptions, CompactionScope, CompactOptions, RequestContext } from "./compactor.js";
import { Driver } from "./driver.js";
import type { OfAgent } from "./events.js";
import { quotes } from "./extractive.js";
import { knownWindows, modelOf, modelTable } from "./model-window.js";
import type { Host } from "./options.js";
import type { Originals } from "./originals.js";
import { type Chosen, type Plan, type PlanningOptions, Plans } from "./plan.js";
import { Recall, type Recalled, type RecallOptions, type Returned } from "../recall/recall.js";
import { ownId } from "./same.js";
import { type CompactorState, States } from "./state.js";
import { Statuses, statusOf } from "./status.js";
import type { SummarizeRequest } from "./summarize.js";
import { issuesOf, loadValidation, measured, userMessage } from "./validation.js";

/** Where the modules come from that a view may need later. */
export type ViewSources = Pick<Modules, "validation" | "recall">;

/** What a compactor and an agent have in common. */
export class ConversationView<M extends object> {
  protected readonly module: Module;
  protected readonly calls: EngineCalls;
  protected readonly host: Host<M>;
  protected readonly originals: Originals<M>;
  protected readonly plans = new Plans();
  protected readonly driver: Driver;
  protected readonly lifetime = new AbortController();
  readonly #statuses = new Statuses();
  readonly #states: States<M>;
  /** What `messages()` has returned last. */
  #shown: M[] = [];
  /** The model that the policy names, if it is known. */
  #model: ModelInfo | undefined;
  readonly #of: OfAgent;
  readonly #recall: Recall;
  readonly #validation: ViewSources["validation"];
  /** Increases whenever an earlier count of the view is no longer right. */
  protected revision = 0;
  /** The epoch of the view that `messages()` last returned. */
  protected sentEpoch: number | undefined;

  /** `commit` stores what is new, if there is a store; `of` says whose view it is. */
  constructor(
    module: Module,
    calls: EngineCalls,
    host: Host<M>,
    sources: ViewSources,
    originals: Originals<M>,
    commit: (() => Promise<void>) | undefined,
    of: OfAgent = {},
  ) {
    this.module = module;
    this.calls = calls;
    this.host = host;
    this.#validation = sources.validation;
    this.#of = of;
    this.originals = originals;
    this.#recall = new Recall(sources.recall, (call) => this.calls.run(call), host, (id) => this.named(id), of);
    const changed = (): void => {
      this.revision += 1;
      this.originals.refresh();
    };
    this.driver = new Driver(module, calls, host as Host<object>, changed, (request) => this.#completed(request), commit, of);
    this.#states = new States(
      () => this.calls.read((engine) => this.#state(engine)),
      (observer) => calls.observe(observer),
    );
  }

  readonly subscribe = (listener: (state: CompactorState<M>) => void): (() => void) => this.#states.subscribe(listener);

  readonly getSnapshot = (): CompactorState<M> =>
    this.calls.isDisposed && this.#states.latest !== undefined ? this.#states.latest : this.#states.get();

  get format(): Format {
    return this.host.format;
  }

  session(): number {
    return this.calls.run((engine) => engine.session());
  }

  phase(): Phase {
    return this.calls.run((engine) => engine.phase());
  }

  setRequestContext(context: RequestContext<M>): void {
    this.calls.check();
    const { added = [], leftOut = [] } = fieldsOf(context, "context");
    const [more, fewer] = [measured(added, "added"), measured(leftOut, "leftOut")];
    this.calls.run((engine) => engine.setRequestContext(more, fewer));
  }

  notes(): string {
    return this.calls.run((engine) => engine.summarizerNotes());
  }

  setTodo(text: string): void {
    const todo = textOf(text, "text");
    this.calls.run((engine) => engine.setTodo(todo));
  }

  memory(): Memory {
    return this.calls.run((engine) => engine.memory());
  }

  memoryText(): string {
    return this.calls.run((engine) => engine.memoryText());
  }

  remember(text: string, options: { standing?: boolean } = {}): void {
    const [entry, { standing = false }] = [textOf(text, "text"), fieldsOf(options, "options")];
    this.calls.run((engine) => engine.remember(entry, standing === true));
    this.driver.drain();
  }

  setMemory(memory: Memory): void {
    this.calls.run((engine) => engine.setMemory(memory));
    this.driver.drain();
  }

  stateText(): string {
    return this.calls.run((engine) => engine.stateText());
  }

  structuredState(): StructuredState {
    return this.calls.run((engine) => engine.structuredState());
  }

  setStructuredState(state: StructuredState): void {
    this.calls.run((engine) => engine.setStructuredState(state));
    this.driver.drain();
  }

  layers(): Layers {
    return this.calls.run((engine) => engine.layers());
  }

  status(): Status {
    return this.calls.read((engine) => this.#status(engine));
  }

  statusUnder(policy: PolicySpec): Status {
    const { policy: completed } = knownWindows(policy);
    return this.calls.read((engine) => statusOf(bufferOf(this.module), engine.statusUnder(completed)));
  }

  plan(options: PlanningOptions = {}): Plan {
    const fields = fieldsOf(options, "options");
    const { reason = "session-compaction", ...about } = fields;
    const chosen = this.#chosen(fields);
    const economics = this.#model && modelTable()?.economicsFor(this.#model, about, this.host.asksModel);
    return this.calls.read((engine) => {
      const earlier = economics === undefined ? [] : this.plans.rows;
      const next = (why: Reason): Plan => this.plans.next(engine, bufferOf(this.module), why, chosen, this.originals.ids(), earlier);
      if (economics === undefined) {
        return next(reason);
      }
      // Reducers that wait for a compaction only work for one, which has no summary if they save enough.
      const reducing = (["reduce", "threshold"] as const).map((why) => next(why)).find(({ reduced, summarizes }) => reduced > 0 && !summarizes);
      const plan = next(reason);
      const found: Economics | undefined = economics(plan, reducing, this.#status(engine).window);
      return found === undefined ? plan : { ...plan, economics: found };
    });
  }

  check(phase: Phase): Reason | undefined {
    const reason = this.calls.run((engine) => engine.check(phase));
    this.driver.drain();
    return reason;
  }

  due(phase: Phase): Reason | undefined {
    return this.calls.run((engine) => engine.due(phase));
  }

  async compactIfNeeded(options: CompactIfNeededOptions = {}): Promise<(Report & OfAgent) | undefined> {
    const { phase, ...fields } = fieldsOf(options, "options");
    const reason = this.check(phase === undefined ? this.phase() : phase);
    return reason === undefined ? undefined : this.compact({ ...fields, reason });
  }

  compact(options: CompactOptions = {}): Promise<Report & OfAgent> {
    return guarded(async () => {
      this.calls.check();
      const fields = fieldsOf(options, "options");
      const report = await this.driver.compact(fields, this.#chosen(fields));
      if (report.outcome === "applied") {
        await this.#recount(fields);
      }
      return report;
    });
  }

  messages(): M[] {
    return this.calls.read((engine) => {
      this.sentEpoch = engine.epoch();
      return this.#view(engine);
    });
  }

  findings(): Finding[] {
    return this.calls.run((engine) => engine.findings());
  }

  compacted(): string[] {
    return this.calls.run((engine) => engine.compacted());
  }

  sources(line: string): string[] {
    const text = textOf(line, "line");
    return this.calls.run((engine) => engine.sources(text));
  }

  metadata(id: string): StoredMetadata {
    const name = this.named(id);
    return this.calls.run((engine) => engine.metadata(name));
  }

  message(id: string): M | undefined {
    const name = this.named(id);
    return this.calls.run((engine) => {
      // Refuses an id that is not one of the conversation, or that is not for this agent.
      engine.metadata(name);
      return this.originals.find(name)?.message;
    });
  }

  history(): M[] {
    this.checkReadable();
    return this.originals.all();
  }

  ids(): string[] {
    this.checkReadable();
    return [...this.originals.ids()];
  }

  /** Refuses if there is nothing to read any more. What is broken can be read. */
  protected checkReadable(): void {
    if (this.calls.isDisposed) {
      this.calls.check();
    }
  }

  recall(query: string, options: RecallOptions = {}): Promise<Recalled> {
    return guarded(() => this.#recall.search(textOf(query, "query"), options));
  }

  /** Brings the index of `recall` up to date, if there is one. */
  protected followRecall(): void {
    this.#recall.follow();
  }

  recallReturning(options: RecallOptions = {}): Promise<Returned | undefined> {
    return guarded(() => this.#recall.returning(options));
  }

  messagesWithRecall(options: RecallOptions = {}): Promise<M[]> {
    return guarded(async () => {
      const returned = await this.#recall.returning(options);
      const validation = returned === undefined ? undefined : await loadValidation(this.#validation);
      const view = this.messages();
      if (returned === undefined || validation === undefined) {
        return view;
      }
      const { format } = this.host;
      const messages = userMessage(validation, returned.text, format);
      const refused = (list: readonly M[]): number => issuesOf(validation, list, format).length;
      const before = refused(view);
      return withAtEnd(view, messages as M[]).find((list) => refused(list) <= before) ?? view;
    });
  }

  offloaded(path: string): string | undefined {
    const name = textOf(path, "path");
    return this.calls.run((engine) => engine.offloaded(name));
  }

  undo(): void {
    this.calls.run((engine) => engine.undo());
    this.driver.drain();
  }

  reportUsage(usage: Usage | object | null | undefined): void {
    this.calls.check();
    if (usage !== undefined && usage !== null) {
      this.calls.run((engine) => engine.handleUsage(usage, this.sentEpoch));
      this.revision += 1;
      this.driver.drain();
    }
  }

  setPolicy(policy: PolicySpec): void {
    const { policy: completed, unknown } = knownWindows(policy);
    this.calls.run((engine) => engine.setPolicy(completed));
    this.noteModels(policy, unknown);
  }

  /** Tells the engine what the summarizer is able to. */
  noteSummarizer(): void {
    const readsInSlices = quotes(this.host.summarize);
    this.calls.run((engine) => engine.setReadsInSlices(readsInSlices));
  }

  /** Takes note of the model that a policy names, and says which are not known. */
  noteModels(policy: PolicySpec | undefined, unknown: readonly string[]): void {
    const name = modelOf(property(property(policy, "agents"), this.host.agent ?? "")) ?? modelOf(policy);
    this.#model = name === undefined ? undefined : modelTable()?.modelInfo(name);
    const { window } = this.status();
    for (const model of unknown) {
      this.driver.notify({ type: "unknownModel", model, window }, undefined);
      if (this.host.onEvent === undefined) {
        warnOnce(model, window);
      }
    }
  }

  dispose(): void {
    this.calls.whenFree(() => {
      if (!this.calls.isDisposed) {
        this.driver.dispose();
        this.originals.clear();
        this.plans.clear();
        this.#recall.free();
        this.lifetime.abort();
      }
    });
  }

  /** The compactor's id of a message that the app names by that or by its own id. */
  protected named(id: string, name = "id"): string {
    const given = textOf(id, name);
    if (this.originals.find(given) !== undefined) {
      return given;
    }
    const own = this.originals.path.filter(({ message }) => message !== undefined && ownId(message) === given);
    return own.at(-1)?.id ?? given;
  }

  /** What the app has chosen for one compaction. */
  #chosen({ upTo, exempt }: CompactionScope): Chosen {
    const exempted = exempt === undefined ? [] : messagesOf(exempt, "exempt");
    return [upTo === undefined ? undefined : this.named(upTo, "upTo"), exempted.map((id, index) => this.named(id, `exempt[${index}]`))];
  }

  /** What the model gets. */
  protected sent(engine: Engine): M[] {
    return this.originals.view(engine);
  }

  /** The messages of the latest summarizer request, and their format. */
  protected asked(engine: Engine): { format: Format; messages: M[] } {
    return { format: this.host.format, messages: this.originals.asked(engine).map(({ message }) => message) };
  }

  #status(engine: Engine): Status {
    return this.#statuses.next(bufferOf(this.module), engine.status());
  }

  /** What the model gets: the same array as before, if it has the same messages. */
  #view(engine: Engine): M[] {
    const view = this.sent(engine);
    const shown = this.#shown;
    if (view.length !== shown.length || view.some((message, index) => message !== shown[index])) {
      this.#shown = view;
    }
    return this.#shown;
  }

  #state(engine: Engine): CompactorState<M> {
    return { status: this.#status(engine), messages: this.#view(engine), isCompacting: this.driver.isCompacting };
  }

  /** A summarizer request with the messages that it sends, if it sends any. */
  #completed(request: SummaryRequest): SummarizeRequest<M> {
    const { format, messages } = this.calls.run((engine) => this.asked(engine));
    const prompt = messages.pop();
    return prompt === undefined ? { ...request, format } : { ...request, format, messages, prompt };
  }

  /** Asks the app to count the new view, if it can. */
  async #recount({ signal, onEvent }: CompactOptions): Promise<void> {
    const { countTokens } = this.host;
    if (countTokens === undefined || this.calls.isDisposed) {
      return;
    }
    const view = this.calls.run((engine) => this.sent(engine));
    const { revision } = this;
    let event: Counted = await counted(countTokens, view, [signal, this.lifetime.signal], this.#of);
    if (this.calls.isDisposed) {
      return;
    }
    // Any call makes an agent read what its team has appended.
    this.calls.read(() => undefined);
    if (event.type === "counted" && revision !== this.revision) {
      event = { type: "countFailed", message: "the conversation went on while it was counted" };
    }
    if (event.type === "counted") {
      const { tokens } = event;
      this.calls.run((engine) => engine.handleCount(tokens));
    }
    this.driver.notify(event, onEvent);
    this.driver.drain();
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

/** The models of which the console has said that they are not known. */
const warned = new Set<string>();

function warnOnce(model: string, window: number): void {
  if (!warned.has(model)) {
    warned.add(model);
    console.warn(`epitome: the model ${model} is not known; its window is taken to be ${window} tokens, unless the policy gives one`);
  }
}
