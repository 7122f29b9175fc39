// Every function of the package, with the wasm modules that `./modules.js` gives.

import { functionOf, limitOf, optionalText } from "../arguments.js";
import { guarded } from "../error.js";
import type { Agent, Compactor } from "../host/compactor.js";
import { loadConversionFrom } from "../host/agent-formats.js";
import { create, planFor, type PlanOptions, restore } from "../host/create.js";
import type { EstimateMessagesOptions } from "../host/estimate.js";
import { availabilityIn, type ChromePromptOptions, type ChromeSummarizerOptions, promptFrom, summarizerFrom } from "../host/chrome.js";
import type { ChromeAvailability, ChromeModelOptions } from "../host/chrome-model.js";
import { endpointFrom, type EndpointSummarize } from "../host/endpoint.js";
import type { EndpointSummarizeOptions } from "../host/endpoint-options.js";
import { extractiveFrom, type ExtractiveSummarize, noteQuoting } from "../host/extractive.js";
import { withStateFrom } from "../host/model-state.js";
import type { AnyMessage, FormatOf, MessageOf } from "../host/format-messages.js";
import type { CompactorOptions, RestoreOptions } from "../host/options.js";
import type { Plan } from "../host/plan.js";
import { compactionFrom, type ProviderCompaction, type ProviderCompactionOptions } from "../host/provider-compaction.js";
import { loadModelTable, loadWindows } from "../host/model-window.js";
import { recentFrom, type RecentOptions } from "../host/recent.js";
import { type CompactedMessages, compactMessagesBy, type CompactMessagesOptions } from "../host/stateless.js";
import type { Summarize } from "../host/summarize.js";
import { overflowOf } from "../host/overflow.js";
import { runTurnBy, type TurnOptions, type TurnResponse, type TurnResult } from "../host/turn.js";
import { convertBy, detectBy, loadValidation, type ReadOptions, repairBy, validateBy, type ValidateOptions } from "../host/validation.js";
import { loadEstimator } from "../counting/estimator.js";
import { counterFrom, type ProviderCounter, type ProviderCounterOptions } from "../counting/provider-counter.js";
import type { ContextOverflow, Format, Policy, PolicySpec, Preset, Report, Usage } from "../glue/epitome.js";
import type { Converted, Detection, Issue, Repaired } from "../glue/validation.js";
import { load, type Modules } from "../wasm/engine.js";
import {
  counterModule,
  endpointModule,
  engineModule,
  estimateModule,
  partModule,
  recallModule,
  tokenizerModule,
  validationModule,
} from "./modules.js";

export * from "./counting.js";
export type { Agent, AppendOptions, CompactIfNeededOptions, CompactOptions, Compactor, RequestContext, SaveState, SyncReport } from "../host/compactor.js";
export type { CompactorState } from "../host/state.js";
export type { PlanningOptions } from "../host/plan.js";
export type { CompactionCosts, Costs, Economics, EconomicsOptions } from "../models/economics.js";
export type { Counted, CountTokens } from "../counting/count.js";
export type { CompactedMessages, CompactMessagesOptions } from "../host/stateless.js";
export type { EstimateMessagesOptions } from "../host/estimate.js";
export type { PlanOptions } from "../host/create.js";
export type { EstimateOptions, TokenFamily } from "../counting/estimator.js";
export type { TokenCounter } from "../counting/token-counter.js";
export type { CountOptions, EncodingOptions } from "../counting/encoding.js";
export type { EncodingSource } from "../counting/vocabulary.js";
export type { EndpointCompletion, EndpointRequest, EndpointSummarize } from "../host/endpoint.js";
export type { EndpointSummarizeOptions, RequestFields } from "../host/endpoint-options.js";
export type { ChromePromptOptions, ChromeSummarizerOptions } from "../host/chrome.js";
export type { ChromeAvailability, ChromeModelOptions } from "../host/chrome-model.js";
export type { CompactionEvent, OfAgent, SaveFailed, SummaryDelta, UnknownModel } from "../host/events.js";
export type { ExtractiveRequest, ExtractiveSummarize } from "../host/extractive.js";
export { type EpitomeError, isEpitomeError } from "../error.js";

/** How a compaction ended. Unless it is `applied`, the messages are unchanged. */
export type Outcome = Report["outcome"];

export type {
  Action,
  BeforeCompaction,
  Breakdown,
  Budget,
  ClearToolInputs,
  ClearToolResults,
  ClearToolResultsRule,
  ContextOverflow,
  Counting,
  Defect,
  Encoding,
  EngineEvent,
  ErrorCode,
  Fact,
  FactKind,
  Family,
  Fill,
  Finding,
  Format,
  Keep,
  LastRequest,
  Level,
  MessageMetadata,
  OffloadToolResults,
  Phase,
  PlanFigures,
  Policy,
  PolicySpec,
  PrepareAt,
  PreparedReport,
  PreparedUse,
  Preset,
  PromptCut,
  Reactive,
  Reason,
  Receipt,
  Reducer,
  ReducerRule,
  Report,
  RequestBoundary,
  Retry,
  Save,
  Shape,
  Statistics,
  Status,
  Summarizer,
  SummarizerReport,
  SummarizerStep,
  SummarizerTokens,
  SummaryInput,
  SummaryPlacement,
  SummaryRequest,
  SummarySettings,
  TokenCost,
  ToolFilter,
  Trigger,
  TruncateToolResults,
  TruncationStep,
  Unsupported,
  Usage,
  Waste,
} from "../glue/epitome.js";
export type { Completion, CounterOptions } from "../glue/endpoint.js";
export type { Converted, Detection, Issue, IssueCode, Repaired, Severity } from "../glue/validation.js";
export type {
  AfterCompaction,
  AgentFormatOptions,
  AgentOptions,
  BeforeAnswer,
  CompactorOptions,
  HostOptions,
  RestoreOptions,
} from "../host/options.js";
export type { FormatMessages, FormatOf, MessageOf } from "../host/format-messages.js";
export type { ReadOptions, ValidateOptions } from "../host/validation.js";
export type { MessageAction, Plan } from "../host/plan.js";
export type { ProviderCounter, ProviderCounterOptions } from "../counting/provider-counter.js";
export type { ProviderCompacted, ProviderCompaction, ProviderCompactionOptions } from "../host/provider-compaction.js";
export type { RecentOptions } from "../host/recent.js";
export type { Summarize, SummarizeContext, SummarizeRequest, Summary } from "../host/summarize.js";
export type {
  ContextProvider,
  Middleware,
  Provided,
  Transform,
  TurnCompaction,
  TurnContext,
  TurnOptions,
  TurnResponse,
  TurnResult,
  Verdict,
} from "../host/turn.js";
export { type ContextParts, contextProviders } from "../host/context-providers.js";
export { recallTool, type RecallParameters, type RecallTools } from "../recall/tool.js";
export type { RankedMessage, RankRecall, RecallCandidate } from "../recall/rank.js";
export type { RecallIndexKeeper, Recalled, RecalledPassage, RecalledQuote, RecallOptions, Returned } from "../recall/recall.js";
export type { TokenizerSources } from "../counting/tokenizer.js";

const MODULES: Modules = {
  engine: engineModule,
  part: partModule,
  validation: validationModule,
  recall: recallModule,
  counter: counterModule,
  tokenizers: tokenizerModule,
};

/**
 * Creates a compactor for a new conversation. The format says what type the messages have, unless the result is assigned to
 * a compactor of the app's own type.
 */
export function createCompactor<F extends Format, M extends object = MessageOf<F>>(
  options: CompactorOptions<NoInfer<M>, F & FormatOf<M>>,
): Promise<Compactor<M>>;
/** The same for the app's own type of message, `M`. Its format cannot be another one than that of the type. */
export function createCompactor<M extends object>(options: CompactorOptions<M>): Promise<Compactor<M>>;
export function createCompactor<M extends object>(options: CompactorOptions<M, Format>): Promise<Compactor<M>> {
  return guarded(() => create(MODULES, options));
}

/** Creates a compactor that continues from a snapshot. The format says what type the messages have. */
export function restoreCompactor<F extends Format, M extends object = MessageOf<F>>(
  snapshot: string,
  options: RestoreOptions<NoInfer<M>, F & FormatOf<M>>,
): Promise<Compactor<M>>;
/** The same for the app's own type of message, `M`. */
export function restoreCompactor<M extends object>(snapshot: string, options: RestoreOptions<M>): Promise<Compactor<M>>;
export function restoreCompactor<M extends object>(snapshot: string, options: RestoreOptions<M, Format>): Promise<Compactor<M>> {
  return guarded(() => restore(MODULES, snapshot, options));
}

/**
 * Compacts messages if that is due, without a compactor that you keep: for a route, the AI SDK's `prepareStep`, LangChain's
 * `beforeModel`, a session. Store the result in place of the messages: the next call continues from its summary.
 */
export function compactMessages<M extends AnyMessage>(
  messages: readonly M[],
  options: CompactMessagesOptions<M>,
): Promise<CompactedMessages<M>> {
  return guarded(() => compactMessagesBy(MODULES, messages, options));
}

/**
 * Estimates the tokens of a text, or of a request with these messages: their content and what the provider counts besides.
 * An estimate for messages loads the engine.
 */
export function estimateTokens(
  input: string | readonly object[],
  options: EstimateMessagesOptions = {},
): Promise<number> {
  return guarded(async () => {
    if (typeof input === "string") {
      return (await loadEstimator(estimateModule)).estimate(input, options);
    }
    // An app that only counts does not fetch the code of compactors.
    const { estimateMessages } = await import("../host/estimate.js");
    return estimateMessages(MODULES, input, options);
  });
}

/** The estimated tokens of a text or of messages if they are at most `limit`; otherwise false. */
export function isWithinTokenLimit(
  input: string | readonly object[],
  limit: number,
  options: EstimateMessagesOptions = {},
): Promise<number | false> {
  return guarded(async () => {
    const most = limitOf(limit);
    const tokens = await estimateTokens(input, options);
    return tokens <= most && tokens;
  });
}

/**
 * Runs a turn: requests, answers and tool calls between a user message, which is appended already, and the answer to it; or the
 * same between the messages that an agent of a team has.
 *
 * The middleware is asked before and after each request. Before it is sent, the transforms rewrite the messages, the providers
 * add theirs, and what is due is compacted. After an error which says that the prompt is too long, the conversation is compacted
 * and the request is sent again. Rejects with what `request` and the other functions throw.
 */
export async function runTurn<M extends object, R extends TurnResponse<M>>(
  compactor: Compactor<M> | Agent<object, M>,
  options: TurnOptions<M, R>,
): Promise<TurnResult<R>> {
  return runTurnBy(await load(MODULES), () => loadValidation(validationModule), compactor, options);
}

/**
 * What an error of a model server says about a prompt that is too long, with the server's numbers if it names them;
 * undefined for any other error. Knows the errors of OpenAI, Anthropic, Gemini, Bedrock, Azure, OpenRouter, LiteLLM,
 * llama.cpp, vLLM, Ollama and others, also inside the errors of SDKs.
 */
export function contextOverflow(error: unknown): Promise<ContextOverflow | undefined> {
  return guarded(async () => overflowOf(await load(MODULES), error));
}

/** What a compaction of these messages would do. */
export function plan<M extends object>(
  messages: readonly M[],
  options: PlanOptions,
): Promise<Plan> {
  return guarded(() => planFor(MODULES, messages, options));
}

/** The most recent messages that fit, with their system prompts. Tool calls stay with their results. */
export function recentWithin<M extends object>(
  messages: readonly M[],
  options: RecentOptions,
): Promise<M[]> {
  return guarded(() => recentFrom(MODULES, messages, options));
}

/** Detects the format of messages by what only that format has. */
export function detectFormat(messages: readonly unknown[]): Promise<Detection> {
  return guarded(() => detectBy(validationModule, messages));
}

/** What the provider of this format would refuse in these messages, and where. */
export function validate(
  messages: readonly object[],
  format: Format,
  options?: ValidateOptions,
): Promise<Issue[]> {
  return guarded(() => validateBy(validationModule, messages, format, options));
}

/** The messages as the provider accepts them. Those that were valid are the same objects. */
export function repair<M extends object>(messages: readonly M[], format: FormatOf<M>, options?: ReadOptions): Promise<Repaired<M>> {
  return guarded(() => repairBy(validationModule, messages, format, options));
}

/** Converts messages to another format. The result lists what the other format cannot represent. */
export function convert<F extends Format>(messages: readonly object[], from: Format, to: F, options?: ReadOptions): Promise<Converted<MessageOf<F>>>;
/** The same for the app's own type of message in the other format. */
export function convert<M extends object>(messages: readonly object[], from: Format, to: FormatOf<M>, options?: ReadOptions): Promise<Converted<M>>;
export function convert<M extends object>(messages: readonly object[], from: Format, to: Format, options?: ReadOptions): Promise<Converted<M>> {
  return guarded(() => convertBy(validationModule, messages, from, to, options));
}

/** Fetches what `agent(name, { format })` of a compactor needs to convert messages. A conversation that is restored with such an
 * agent does it itself. */
export function loadConversion(): Promise<void> {
  return guarded(() => loadConversionFrom(MODULES));
}

/** The tokens of a request, from the usage object of any provider; undefined if it does not contain the tokens of the
 * prompt. */
export function readUsage(usage: object): Promise<Usage | undefined> {
  return guarded(async () => (await load(MODULES)).readUsage(usage));
}

/** All presets, the default first. */
export function presets(): Promise<Preset[]> {
  return guarded(async () => (await load(MODULES)).presets());
}

/** The complete policy of a spec, for one of its agents or for all. Rejects if the policy is invalid, and names the field. */
export function resolvePolicy(policy?: PolicySpec, agent?: string): Promise<Policy> {
  const name = (): string | undefined => optionalText(agent, "agent");
  return guarded(async () => {
    const { policy: completed } = await loadWindows(policy);
    return (await load(MODULES)).resolvePolicy(completed, name());
  });
}

/**
 * Fetches the windows and rates of models, about 9 kB. All asynchronous functions do that if a policy names a model. Only
 * `setPolicy` and `statusUnder` need this call first, if their policy names one and gives no window.
 */
export function loadModels(): Promise<void> {
  return guarded(async () => {
    await loadModelTable();
  });
}

/** A summarizer that needs no model: it quotes the most important sentences. */
// Marked as pure, so that bundlers leave it out of apps that do not use it.
export const extractive: ExtractiveSummarize = /* @__PURE__ */ noteQuoting((request, context) =>
  guarded(() => extractiveFrom(MODULES)(request, context)),
);

/**
 * The same summarizer, which asks a model, with summaries that begin with the state of the messages: what was asked for, which
 * instructions hold, what was done with tools, which names and numbers are known, and what is open. It is read without a model,
 * with the numbers of the messages if the summary is not short, and takes at most half of the tokens. The model is shown it, and is asked for what
 * it lacks and what is wrong in it. Requests with messages in place of a transcript stay as they are.
 *
 * The package's endpoints do that by themselves.
 */
export function withState<M extends object = object>(summarize: Summarize<M>): Summarize<M> {
  return withStateFrom(MODULES, functionOf(summarize, "summarize"));
}

/**
 * A summarizer that asks a model behind a chat-completions endpoint. It rejects with an `EpitomeError` that says whether a
 * retry may help. It does not retry itself: the compactor does.
 */
export function openAICompatible(options: EndpointSummarizeOptions): EndpointSummarize {
  return endpointFrom(endpointModule, MODULES, "openai", options);
}

/**
 * The same for Anthropic's Messages API. In a browser, Anthropic also requires the header
 * `anthropic-dangerous-direct-browser-access`.
 */
export function anthropicCompatible(options: EndpointSummarizeOptions): EndpointSummarize {
  return endpointFrom(endpointModule, MODULES, "anthropic", options);
}

/**
 * The same for the Gemini API itself, with the key in its own header. Models are asked not to think, since that counts towards the
 * limit of the answer; one that cannot do without gets 8,192 tokens more.
 */
export function geminiCompatible(options: EndpointSummarizeOptions): EndpointSummarize {
  return endpointFrom(endpointModule, MODULES, "gemini", options);
}

/**
 * The same for Ollama's own API, which takes a context window with each request (`contextWindow`) and refuses a prompt that does
 * not fit. By `openAICompatible` it has the window of its settings, and cuts longer prompts without a word. It summarizes
 * transcripts, and no messages.
 */
export function ollamaCompatible(options: EndpointSummarizeOptions): EndpointSummarize {
  return endpointFrom(endpointModule, MODULES, "ollama", options);
}

/**
 * A summarizer that asks the language model inside of Chrome by prompts: without a server, a key or the network once the model is
 * there. It takes transcripts, and its window is small, so that a long conversation is asked for in several chunks.
 * Ask `chromeAvailability` before; where the model has to be downloaded, the first summary has to begin with a click of the user.
 */
export function chromePrompt(options: ChromePromptOptions = {}): EndpointSummarize {
  return promptFrom(MODULES, options);
}

/**
 * The same by Chrome's own Summarizer, which takes no instructions: the headings that a policy asks for are not in its summaries.
 */
export function chromeSummarizer(options: ChromeSummarizerOptions = {}): EndpointSummarize {
  return summarizerFrom(options);
}

/**
 * Whether `chromePrompt` or `chromeSummarizer` works here, with these languages: at once, after a download, or not at all, as in other
 * browsers, in workers and in Node.
 */
export function chromeAvailability(api: "prompt" | "summarizer", options: ChromeModelOptions = {}): Promise<ChromeAvailability> {
  return availabilityIn(api, options);
}

/**
 * Has OpenAI compact Responses items itself, by `POST /responses/compact`, which other servers have too. What it returns stands in
 * place of all of them: what the user has said, and an item that only that server can read. Give it to `sync`; no compaction, repair or
 * edit of this package touches that item.
 */
export function openAICompaction<M extends object = MessageOf<"openai-responses">>(options: ProviderCompactionOptions): ProviderCompaction<M> {
  return compactionFrom(endpointModule, "openai", options);
}

/**
 * The same for Anthropic's Messages API, on demand: an assistant message with one signed block, whose text can be read. Your own
 * requests with it need the header `anthropic-beta: compact-2026-09-04` from then on.
 */
export function anthropicCompaction<M extends object = MessageOf<"anthropic">>(options: ProviderCompactionOptions): ProviderCompaction<M> {
  return compactionFrom(endpointModule, "anthropic", options);
}

/**
 * Asks Anthropic to count the tokens of messages, for `countTokens`. Give `system` and `tools` in `request`. In a browser,
 * Anthropic also requires the header `anthropic-dangerous-direct-browser-access`.
 */
export function anthropicCounter<M extends object = object>(
  options: ProviderCounterOptions,
): ProviderCounter<M> {
  return counterFrom(endpointModule, validationModule, "anthropic", options);
}

/** Asks OpenAI to count the tokens of Responses items, for `countTokens`. Give `instructions` and `tools` in `request`. */
export function openAICounter<M extends object = object>(
  options: ProviderCounterOptions,
): ProviderCounter<M> {
  return counterFrom(endpointModule, validationModule, "openai", options);
}

/** Asks Gemini to count the tokens of contents, for `countTokens`. Give `systemInstruction` and `tools` in `request`. */
export function geminiCounter<M extends object = object>(
  options: ProviderCounterOptions,
): ProviderCounter<M> {
  return counterFrom(endpointModule, validationModule, "gemini", options);
}

/** Asks a llama.cpp server to count the tokens of chat messages in its model's chat template, for `countTokens`. */
export function llamaCppCounter<M extends object = object>(
  options: ProviderCounterOptions,
): ProviderCounter<M> {
  return counterFrom(endpointModule, validationModule, "llama.cpp", options);
}
