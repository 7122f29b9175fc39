// Summaries by the models that Chrome has inside: by prompts, or by its own summarizer. Nothing leaves the device.

import { fieldsOf, optionalFunction, optionalSignal, textOf, wholeOf } from "../arguments.js";
import { epitomeError, guarded } from "../error.js";
import type { EngineSource } from "../wasm/engine.js";
import {
  availabilityOf,
  type CheckedChromeOptions,
  checkedOptions,
  type ChromeAvailability,
  type ChromeModelOptions,
  type ChromeSession,
  textOfStream,
  tooLong,
  transcriptOf,
  withSession,
} from "./chrome-model.js";
import type { EndpointCompletion, EndpointRequest, EndpointSummarize } from "./endpoint.js";
import { stateFor } from "./model-state.js";
import type { SummarizeContext } from "./summarize.js";

/** Options of a summarizer that asks Chrome's language model. */
export interface ChromePromptOptions extends ChromeModelOptions {
  /** Whether summaries begin with the state of the messages, as those of endpoints do. Default: true. */
  state?: boolean;
}

/** Options of a summarizer by Chrome's own Summarizer. */
export interface ChromeSummarizerOptions extends ChromeModelOptions {
  /** What kind of summary it writes. Default: `key-points`. */
  type?: "key-points" | "tldr" | "teaser" | "headline";
  /** How long it is. Default: by the tokens that the summary may have. */
  length?: "short" | "medium" | "long";
}

/** What `LanguageModel` takes. */
interface PromptModelOptions {
  initialPrompts?: { role: "system"; content: string }[];
  expectedInputs?: { type: "text"; languages: readonly string[] }[];
  expectedOutputs?: { type: "text"; languages: readonly string[] }[];
}

/** A session of `LanguageModel`. Its counts had other names before: those with `input`. */
interface PromptSession extends ChromeSession {
  promptStreaming(input: string, options: { signal?: AbortSignal }): ReadableStream<string>;
  measureContextUsage?(input: string): Promise<number>;
  measureInputUsage?(input: string): Promise<number>;
  readonly contextUsage?: number;
  readonly inputUsage?: number;
  readonly contextWindow?: number;
  readonly inputQuota?: number;
}

/** What `Summarizer` takes. */
interface SummarizerOptions {
  type: string;
  format: "markdown";
  length: string;
  sharedContext: string;
  expectedInputLanguages?: readonly string[];
  outputLanguage?: string;
}

/** A `Summarizer`. */
interface SummarizerSession extends ChromeSession {
  summarizeStreaming(input: string, options: { signal?: AbortSignal }): ReadableStream<string>;
}

/** The models, by their names in JavaScript. */
const NAMES = { prompt: "LanguageModel", summarizer: "Summarizer" } as const;

const TYPES: readonly string[] = ["key-points", "tldr", "teaser", "headline"];
const LENGTHS: readonly string[] = ["short", "medium", "long"];

/** Up to how many tokens a summary is short, and up to how many it is not long. */
const [SHORT_TOKENS, MEDIUM_TOKENS] = [100, 300];

/** Says to the Summarizer what it reads. */
const CONTEXT =
  "The text is a conversation of a user with an assistant. The assistant goes on from the summary alone: keep names, numbers, decisions, instructions and what is still open.";

/** Whether a model of Chrome can be used: that of prompts, or its summarizer. */
export function availabilityIn(api: keyof typeof NAMES, options: ChromeModelOptions): Promise<ChromeAvailability> {
  return guarded(() => {
    const name = Object.hasOwn(NAMES, api) ? NAMES[api] : undefined;
    if (name === undefined) {
      throw epitomeError("invalid-option", `expected "prompt" or "summarizer"`);
    }
    const checked = checkedOptions(fieldsOf(options, "options"));
    return availabilityOf(name, api === "prompt" ? promptLanguages(checked) : summarizerLanguages(checked));
  });
}

/** A summarizer that asks Chrome's language model. `engine` is what reads the state of messages. */
export function promptFrom(engine: EngineSource, options: ChromePromptOptions): EndpointSummarize {
  const { state: withState = true, ...given } = fieldsOf(options, "options");
  const checked = checkedOptions(given);
  return (request, context = {}) =>
    guarded(async () => {
      const asked = transcriptOf(request);
      const [system, input] = [textOf(asked.system, "system"), textOf(asked.input, "input")];
      const maxTokens = wholeOf(asked.maxTokens, "maxTokens", 1);
      const { signal, onDelta } = contextOf(context);
      const stated = withState ? await stateFor(engine, asked) : undefined;
      const sent = stated ?? { system, input };
      const model = { ...promptLanguages(checked), initialPrompts: [{ role: "system" as const, content: sent.system }] };
      return withSession(NAMES.prompt, model, checked, signal, async (session: PromptSession): Promise<EndpointCompletion> => {
        await checkRoom(session, sent.input, maxTokens);
        const text = await textOfStream(session.promptStreaming(sent.input, signalled(signal)), onDelta);
        return { ...completionOf(text), instructed: true, ...(stated === undefined ? {} : { state: stated.state }) };
      });
    });
}

/** A summarizer by Chrome's own. */
export function summarizerFrom(options: ChromeSummarizerOptions): EndpointSummarize {
  const { type = "key-points", length, ...given } = fieldsOf(options, "options");
  const checked = checkedOptions(given);
  oneOf(type, TYPES, "type");
  oneOf(length ?? "long", LENGTHS, "length");
  return (request, context = {}) =>
    guarded(async () => {
      const asked = transcriptOf(request);
      const input = textOf(asked.input, "input");
      const { signal, onDelta } = contextOf(context);
      const model: SummarizerOptions = {
        ...summarizerLanguages(checked),
        type,
        format: "markdown",
        length: length ?? lengthFor(asked),
        sharedContext: CONTEXT,
      };
      return withSession(NAMES.summarizer, model, checked, signal, async (session: SummarizerSession): Promise<EndpointCompletion> => {
        const text = await textOfStream(session.summarizeStreaming(input, signalled(signal)), onDelta);
        return { ...completionOf(text), instructed: false };
      });
    });
}

function contextOf(context: Partial<SummarizeContext>): Partial<SummarizeContext> {
  const { signal, onDelta } = fieldsOf(context, "the second argument");
  optionalSignal(signal ?? undefined);
  optionalFunction(onDelta, "onDelta");
  return { ...(signal ? { signal } : {}), ...(onDelta === undefined ? {} : { onDelta }) };
}

function signalled(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

function promptLanguages({ languages }: CheckedChromeOptions): PromptModelOptions {
  const expected = (list: readonly string[]): [{ type: "text"; languages: readonly string[] }] => [{ type: "text", languages: list }];
  return languages.length === 0 ? {} : { expectedInputs: expected(languages), expectedOutputs: expected(languages.slice(0, 1)) };
}

function summarizerLanguages({ languages }: CheckedChromeOptions): Partial<SummarizerOptions> {
  const [outputLanguage] = languages;
  return outputLanguage === undefined ? {} : { expectedInputLanguages: languages, outputLanguage };
}

/** Fails if prompt and answer do not fit the window. Without that, the answer would end in the middle, and nothing would say so. */
async function checkRoom(session: PromptSession, input: string, maxTokens: number): Promise<void> {
  const { contextWindow: window = session.inputQuota, contextUsage: used = session.inputUsage ?? 0 } = session;
  const tokens = await (session.measureContextUsage?.(input) ?? session.measureInputUsage?.(input));
  if (window !== undefined && tokens !== undefined && used + tokens + maxTokens > window) {
    throw tooLong(used + tokens + maxTokens, window);
  }
}

function completionOf(text: string): { text: string } {
  const written = text.trim();
  if (written === "") {
    throw epitomeError("empty", "the browser's model answered without any text");
  }
  return { text: written };
}

function lengthFor({ targetTokens, maxTokens }: EndpointRequest): string {
  const tokens = targetTokens ?? maxTokens;
  return tokens <= SHORT_TOKENS ? "short" : tokens <= MEDIUM_TOKENS ? "medium" : "long";
}

function oneOf(value: string, values: readonly string[], name: string): void {
  if (!values.includes(value)) {
    throw epitomeError("invalid-option", `${name}: expected one of ${values.join(", ")}`);
  }
}
