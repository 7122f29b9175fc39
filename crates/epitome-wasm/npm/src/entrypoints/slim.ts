// The package without its wasm module, which the app provides. Otherwise the same as `index.ts`.

import type { Compactor } from "./compactor.js";
import { type EstimateOptions, loadCounter, type TokenCounter, tokenCounterFrom } from "./counter.js";
import { create, planFor, type PlanOptions, restore } from "./create.js";
import { countBy, type CountOptions, type EncodingOptions } from "./encoding.js";
import { endpointFrom, type EndpointSummarize } from "./endpoint.js";
import { load, type ModuleInput, type Modules } from "./engine.js";
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
import { convertBy, repairBy, validateBy, type ValidateOptions } from "./legality.js";
import type { Plan } from "./plan.js";
import { counterFrom, type ProviderCounter, type ProviderCounterOptions } from "./provider-counter.js";
import { recentFrom, type RecentOptions } from "./recent.js";
import type { SummarizeContext } from "./summarize.js";
import { countByTokenizer, loadTokenizerFrom } from "./tokenizer.js";
import { bytesAt, type EncodingSource } from "./vocabulary.js";

export { isEpitomeError } from "./error.js";

const MODULES: Modules = { engine: provided, tokenizers: providedTokenizer };

/**
 * Loads the wasm module: from an address, a response, bytes or a compiled module, or else from the file
 * beside the code. Where it is not called, whatever needs the module first loads that file.
 *
 * In Node, which does not fetch files, give the bytes of `epitome/wasm`.
 */
export async function init(
  input?: string | URL | Request | Response | BufferSource | WebAssembly.Module,
): Promise<void> {
  await load(() => input ?? provided());
}

function provided(): ModuleInput {
  return new URL("./glue/epitome_bg.wasm", import.meta.url);
}

/** The modules that only count, from the files beside the code. */
function providedCounter(): Promise<BufferSource> {
  return bytesAt(new URL("./glue/count_bg.wasm", import.meta.url));
}

function providedTokenizer(): Promise<BufferSource> {
  return bytesAt(new URL("./glue/tokenizer_bg.wasm", import.meta.url));
}

export function createCompactor<M extends object = object>(
  options: CompactorOptions<M>,
): Promise<Compactor<M>> {
  return create(MODULES, options);
}

export function restoreCompactor<M extends object = object>(
  snapshot: string,
  options: RestoreOptions<M>,
): Promise<Compactor<M>> {
  return restore(MODULES, snapshot, options);
}

export function plan<M extends object>(
  messages: readonly M[],
  options: PlanOptions,
): Promise<Plan> {
  return planFor(MODULES, messages, options);
}

export async function estimateTokens(text: string, options: EstimateOptions = {}): Promise<number> {
  return (await loadCounter(providedCounter)).estimate(text, options);
}

export async function countTokens(text: string, options: CountOptions = {}): Promise<number> {
  return options.tokenizer === undefined
    ? countBy(providedCounter, text, options.encoding ?? "o200k_base", byEngine)
    : countByTokenizer(text, String(options.tokenizer));
}

export function loadEncoding(encoding: Encoding, source?: EncodingSource | EncodingOptions): Promise<void> {
  return loadEncodingForAll(providedCounter, encoding, source);
}

export function tokenCounter(): Promise<TokenCounter> {
  return tokenCounterFrom(providedCounter);
}

export function loadTokenizer(name: string, source: EncodingSource | object): Promise<void> {
  return loadTokenizerFrom(providedTokenizer, String(name), source);
}

export function recentWithin<M extends object>(
  messages: readonly M[],
  options: RecentOptions,
): Promise<M[]> {
  return recentFrom(MODULES, messages, options);
}

export async function detectFormat(messages: readonly unknown[]): Promise<Detection> {
  return (await load(provided)).detectFormat(Array.from(messages));
}

export function validate(
  messages: readonly object[],
  format: Format,
  options?: ValidateOptions,
): Promise<Issue[]> {
  return validateBy(provided, messages, format, options);
}

export function repair<M extends object>(messages: readonly M[], format: Format): Promise<Repaired<M>> {
  return repairBy(provided, messages, format);
}

export function convert<M extends object = object>(
  messages: readonly object[],
  from: Format,
  to: Format,
): Promise<Converted<M>> {
  return convertBy(provided, messages, from, to);
}

export async function readUsage(usage: object): Promise<Usage | undefined> {
  return (await load(provided)).readUsage(usage);
}

export async function presets(): Promise<Preset[]> {
  return (await load(provided)).presets();
}

export async function resolvePolicy(policy?: PolicySpec, agent?: string): Promise<Policy> {
  return (await load(provided)).resolvePolicy(policy, agent);
}

export function extractive(
  request: Pick<SummaryRequest, "input" | "targetTokens">,
  context?: Partial<SummarizeContext>,
): Promise<string> {
  return extractiveFrom(provided)(request, context);
}

export function openAICompatible(options: EndpointOptions): EndpointSummarize {
  return endpointFrom(provided, options);
}

export function anthropicCounter<M extends object = object>(
  options: ProviderCounterOptions,
): ProviderCounter<M> {
  return counterFrom(provided, "anthropic", options);
}

export function openAICounter<M extends object = object>(
  options: ProviderCounterOptions,
): ProviderCounter<M> {
  return counterFrom(provided, "openai", options);
}

export function geminiCounter<M extends object = object>(
  options: ProviderCounterOptions,
): ProviderCounter<M> {
  return counterFrom(provided, "gemini", options);
}

export function llamaCppCounter<M extends object = object>(
  options: ProviderCounterOptions,
): ProviderCounter<M> {
  return counterFrom(provided, "llama.cpp", options);
}
