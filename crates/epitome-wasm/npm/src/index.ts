// The package with its wasm module inside, which is unpacked and compiled when it is first needed.

import type { Compactor } from "./compactor.js";
import { type EstimateOptions, loadCounter, type TokenCounter, tokenCounterFrom } from "./counter.js";
import { create, planFor, type PlanOptions, restore } from "./create.js";
import { countBy, type CountOptions, type EncodingOptions } from "./encoding.js";
import { endpointFrom, type EndpointSummarize } from "./endpoint.js";
import { load, type Modules } from "./engine.js";
import { byEngine, loadEncodingForAll } from "./engine-encoding.js";
import { extractiveFrom } from "./extractive.js";
import type {
  Converted,
  Detection,
  Encoding,
  EndpointOptions,
  Format,
  Issue,
  Policy,
  PolicySpec,
  Preset,
  Repaired,
  SummaryRequest,
  Usage,
} from "./glue/epitome.js";
import type { CompactorOptions, RestoreOptions } from "./host.js";
import { inline } from "./inline.js";
import { inlineCounter, inlineTokenizer } from "./inline-counters.js";
import { convertBy, repairBy, validateBy, type ValidateOptions } from "./legality.js";
import type { Plan } from "./plan.js";
import { counterFrom, type ProviderCounter, type ProviderCounterOptions } from "./provider-counter.js";
import { recentFrom, type RecentOptions } from "./recent.js";
import type { SummarizeContext } from "./summarize.js";
import { countByTokenizer, loadTokenizerFrom } from "./tokenizer.js";
import type { EncodingSource } from "./vocabulary.js";

export type { CompactionEvent, CompactOptions, Compactor, SummaryDelta } from "./compactor.js";
export type { Counted, CountTokens } from "./count.js";
export type { PlanOptions } from "./create.js";
export type { EstimateOptions, TokenCounter } from "./counter.js";
export type { CountOptions, EncodingOptions } from "./encoding.js";
export type { EncodingSource } from "./vocabulary.js";
export type { TokenFamily } from "./glue/count.js";
export type { EndpointSummarize } from "./endpoint.js";
export { type EpitomeError, isEpitomeError } from "./error.js";
export type {
  TruncateToolResults,
  TruncationStep,
  BeforeCompaction,
  Breakdown,
  Budget,
  Completion,
  Converted,
  CounterOptions,
  Counting,
  Defect,
  Detection,
  Encoding,
  EndpointOptions,
  EngineEvent,
  ErrorCode,
  Fact,
  FactKind,
  Family,
  Fill,
  Finding,
  Format,
  Issue,
  IssueCode,
  Keep,
  LastRequest,
  Level,
  MessageMetadata,
  Phase,
  OffloadToolResults,
  Outcome,
  PlanFigures,
  Policy,
  PolicySpec,
  Preset,
  ClearToolInputs,
  Reactive,
  Reason,
  SummaryPlacement,
  Receipt,
  Reducer,
  ReducerRule,
  Repaired,
  Report,
  RequestBoundary,
  Retry,
  Severity,
  Shape,
  Statistics,
  Status,
  Summarizer,
  SummaryRequest,
  SummarySettings,
  ToolFilter,
  Trigger,
  Usage,
} from "./glue/epitome.js";
export type {
  AfterCompaction,
  BeforeAnswer,
  CompactorOptions,
  HostOptions,
  RestoreOptions,
} from "./host.js";
export type { ValidateOptions } from "./legality.js";
export type { Action, MessageAction, Plan } from "./plan.js";
export type { ProviderCounter, ProviderCounterOptions } from "./provider-counter.js";
export type { RecentOptions } from "./recent.js";
export type { Summarize, SummarizeContext, Summary } from "./summarize.js";
export type { TokenizerSources } from "./tokenizer.js";

const MODULES: Modules = { engine: inline, tokenizers: inlineTokenizer };

/** Makes a compactor for a new conversation. `M` is the app's own type of message. */
export function createCompactor<M extends object = object>(
  options: CompactorOptions<M>,
): Promise<Compactor<M>> {
  return create(MODULES, options);
}

/** Makes a compactor that goes on from a snapshot. */
export function restoreCompactor<M extends object = object>(
  snapshot: string,
  options: RestoreOptions<M>,
): Promise<Compactor<M>> {
  return restore(MODULES, snapshot, options);
}

/** What a compaction of these messages would do. */
export function plan<M extends object>(
  messages: readonly M[],
  options: PlanOptions,
): Promise<Plan> {
  return planFor(MODULES, messages, options);
}

/** Estimates the tokens of a text. */
export async function estimateTokens(text: string, options: EstimateOptions = {}): Promise<number> {
  return (await loadCounter(inlineCounter)).estimate(text, options);
}

/** Counts the tokens of a text as a model does, exactly; `o200k_base` where no encoding is named. Loads its
 * vocabulary first, as far as the text needs it and it is not loaded yet. The text of special tokens is plain text. */
export async function countTokens(text: string, options: CountOptions = {}): Promise<number> {
  return options.tokenizer === undefined
    ? countBy(inlineCounter, text, options.encoding ?? "o200k_base", byEngine)
    : countByTokenizer(text, String(options.tokenizer));
}

/**
 * Loads the vocabulary of an encoding, from the package's own file or from what is given. It is loaded once,
 * for every compactor; a call meanwhile waits for the same one, and a failure is not remembered.
 *
 * Whatever is awaited loads what it needs by itself. `setPolicy` and a `TokenCounter` are not, and need this before.
 */
export function loadEncoding(encoding: Encoding, source?: EncodingSource | EncodingOptions): Promise<void> {
  return loadEncodingForAll(inlineCounter, encoding, source);
}

/** A counter for many texts, which counts without waiting: it is there once the module is. */
export function tokenCounter(): Promise<TokenCounter> {
  return tokenCounterFrom(inlineCounter);
}

/**
 * Loads the `tokenizer.json` of a model, as Hugging Face has them for Llama 3, Qwen, DeepSeek, Mistral and others, for
 * `countTokens(text, { tokenizer: name })` and for policies with `counting: { tokenizer: name }`. It comes from an
 * address, a response, bytes, or as the object that it is; reading it takes up to a second. One that cannot be counted
 * by exactly is refused with `invalid-vocabulary`. Where one of the name is loaded already, whatever counts by that goes
 * on with it.
 */
export function loadTokenizer(name: string, source: EncodingSource | object): Promise<void> {
  return loadTokenizerFrom(inlineTokenizer, String(name), source);
}

/** The most recent messages that fit, with their system prompts; calls come with their results. */
export function recentWithin<M extends object>(
  messages: readonly M[],
  options: RecentOptions,
): Promise<M[]> {
  return recentFrom(MODULES, messages, options);
}

/** Tells the format of messages from what only that format has. */
export async function detectFormat(messages: readonly unknown[]): Promise<Detection> {
  return (await load(inline)).detectFormat(Array.from(messages));
}

/** What the provider of this format would refuse in these messages, and where. */
export function validate(
  messages: readonly object[],
  format: Format,
  options?: ValidateOptions,
): Promise<Issue[]> {
  return validateBy(inline, messages, format, options);
}

/** The same messages as the provider takes them: those that were right are the very same objects. */
export function repair<M extends object>(messages: readonly M[], format: Format): Promise<Repaired<M>> {
  return repairBy(inline, messages, format);
}

/** Messages of one format in another. What the target cannot hold is listed. */
export function convert<M extends object = object>(
  messages: readonly object[],
  from: Format,
  to: Format,
): Promise<Converted<M>> {
  return convertBy(inline, messages, from, to);
}

/** What a request took, read from the usage object of any provider; undefined where it does not tell how large
 * the prompt was. */
export async function readUsage(usage: object): Promise<Usage | undefined> {
  return (await load(inline)).readUsage(usage);
}

/** The policies that have a name, the default first. */
export async function presets(): Promise<Preset[]> {
  return (await load(inline)).presets();
}

/** What a policy comes to, for one of its agents or for all. Rejects where it cannot work, and names the
 * field. */
export async function resolvePolicy(policy?: PolicySpec, agent?: string): Promise<Policy> {
  return (await load(inline)).resolvePolicy(policy, agent);
}

/** A summarizer that needs no model: it quotes the sentences that say most. */
export function extractive(
  request: Pick<SummaryRequest, "input" | "targetTokens">,
  context?: Partial<SummarizeContext>,
): Promise<string> {
  return extractiveFrom(inline)(request, context);
}

/**
 * A summarizer that asks a model behind a chat-completions endpoint. It rejects with an `EpitomeError`
 * that says whether asking again may help, and never retries by itself: the compactor does.
 */
export function openAICompatible(options: EndpointOptions): EndpointSummarize {
  return endpointFrom(inline, options);
}

/**
 * Has Anthropic count the tokens of messages, for `countTokens`. Give `system` and `tools` in `request`. In a browser
 * Anthropic wants the header `anthropic-dangerous-direct-browser-access` besides.
 */
export function anthropicCounter<M extends object = object>(
  options: ProviderCounterOptions,
): ProviderCounter<M> {
  return counterFrom(inline, "anthropic", options);
}

/** Has OpenAI count the tokens of Responses items, for `countTokens`. Give `instructions` and `tools` in `request`. */
export function openAICounter<M extends object = object>(
  options: ProviderCounterOptions,
): ProviderCounter<M> {
  return counterFrom(inline, "openai", options);
}

/** Has Gemini count the tokens of contents, for `countTokens`. Give `systemInstruction` and `tools` in `request`. */
export function geminiCounter<M extends object = object>(
  options: ProviderCounterOptions,
): ProviderCounter<M> {
  return counterFrom(inline, "gemini", options);
}

/** Has a server of llama.cpp count the tokens of chat messages, in its model's own template, for `countTokens`. */
export function llamaCppCounter<M extends object = object>(
  options: ProviderCounterOptions,
): ProviderCounter<M> {
  return counterFrom(inline, "llama.cpp", options);
}
