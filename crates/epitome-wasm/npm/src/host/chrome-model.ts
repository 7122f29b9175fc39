// The models that Chrome has inside: whether they are there, how they are downloaded, and what their errors mean.

import { fieldsOf, kindOf, optionalFunction, reading } from "../arguments.js";
import { epitomeError, isEpitomeError, messageOf, property } from "../error.js";
import type { EpitomeError } from "../error.js";

/** Whether a model of the browser can be used: at once, behind a download of some gigabytes, or not at all. */
export type ChromeAvailability = "unavailable" | "downloadable" | "downloading" | "available";

/** What both summarizers by a model of the browser take. */
export interface ChromeModelOptions {
  /** The languages of the conversation, such as `["en", "de"]`. The summary is in the first one. Chrome refuses a language that its
   * model has not been tested with. Default: Chrome decides. */
  languages?: readonly string[];
  /** Takes how much of the model is downloaded, from 0 to 1. Only if it is not there yet. */
  onDownload?: (share: number) => void;
}

/** What creates a model in the browser: `LanguageModel` or `Summarizer`. */
export interface ChromeFactory<S extends ChromeSession, O extends object> {
  availability(options?: O): Promise<string>;
  create(options?: O & { signal?: AbortSignal; monitor?: (monitor: EventTarget) => void }): Promise<S>;
}

/** A model that is loaded. */
export interface ChromeSession {
  destroy(): void;
}

/** The checked options, with a list of languages that may be empty. */
export interface CheckedChromeOptions {
  languages: readonly string[];
  onDownload: ((share: number) => void) | undefined;
}

/** Checks the options that both have. */
export function checkedOptions({ languages = [], onDownload }: ChromeModelOptions): CheckedChromeOptions {
  const list = reading("languages", () => (Array.isArray(languages) ? Array.from(languages as readonly unknown[]) : undefined));
  if (list === undefined || !list.every((language) => typeof language === "string" && language !== "")) {
    throw epitomeError("invalid-option", `languages: expected a list of languages such as ["en"], not ${kindOf(languages)}`);
  }
  return { languages: list as string[], onDownload: optionalFunction(onDownload, "onDownload") };
}

/** The global object of this name, if this browser has it. */
export function factoryNamed<S extends ChromeSession, O extends object>(name: string): ChromeFactory<S, O> | undefined {
  const factory = property(globalThis, name);
  // A class of the platform: a function with static methods.
  const isFactory = typeof factory === "function" && typeof (factory as Partial<ChromeFactory<S, O>>).create === "function";
  return isFactory ? (factory as unknown as ChromeFactory<S, O>) : undefined;
}

/** Whether the model of this name can be used with these options. */
export async function availabilityOf<O extends object>(name: string, options: O): Promise<ChromeAvailability> {
  const factory = factoryNamed<ChromeSession, O>(name);
  if (factory === undefined) {
    return "unavailable";
  }
  try {
    const found = await factory.availability(options);
    return found === "available" || found === "downloadable" || found === "downloading" ? found : "unavailable";
  } catch (thrown) {
    // It rejects if a policy of the page forbids the model.
    if (property(thrown, "name") === "NotAllowedError") {
      return "unavailable";
    }
    throw failureIn(name, thrown);
  }
}

/** Loads a model, lets `use` ask it, and always frees it again: each takes memory as long as it is there. */
export async function withSession<S extends ChromeSession, O extends object, T>(
  name: string,
  options: O,
  { onDownload }: CheckedChromeOptions,
  signal: AbortSignal | undefined,
  use: (session: S) => Promise<T>,
): Promise<T> {
  const factory = factoryNamed<S, O>(name);
  if (factory === undefined) {
    throw epitomeError(
      "misconfigured",
      `this browser has no ${name}: it is in Chrome from version 138 on, in pages on https or localhost and not in workers; ask chromeAvailability() first, and take another summarizer where it says unavailable`,
    );
  }
  const monitor = (monitored: EventTarget): void => {
    monitored.addEventListener("downloadprogress", (event) => {
      const share = property(event, "loaded");
      if (typeof share === "number") {
        listened(() => onDownload?.(share));
      }
    });
  };
  try {
    const session = await factory.create({ ...options, ...(signal === undefined ? {} : { signal }), monitor });
    try {
      return await use(session);
    } finally {
      session.destroy();
    }
  } catch (thrown) {
    throw failureIn(name, thrown);
  }
}

/** Calls a listener of the app. What it throws does not change the outcome. */
export function listened(call: () => void): void {
  try {
    call();
  } catch {
    // It is the app's own affair.
  }
}

/** The words by which the engine knows a prompt that is too long, with its numbers. */
export function tooLong(requested: unknown, quota: unknown): EpitomeError {
  const isCount = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);
  const numbers =
    isCount(requested) && isCount(quota)
      ? `: request (${Math.ceil(requested)} tokens) exceeds the available context size (${Math.floor(quota)} tokens)`
      : "";
  return epitomeError("too-long", `the prompt does not fit the window of the browser's model${numbers}`);
}

/** What an error of the platform means. */
function failureIn(name: string, thrown: unknown): unknown {
  const kind = property(thrown, "name");
  if (isEpitomeError(thrown) || kind === "AbortError") {
    return thrown;
  }
  const said = messageOf(thrown, "it did not say why");
  switch (kind) {
    case "QuotaExceededError":
      return tooLong(property(thrown, "requested"), property(thrown, "quota"));
    case "NotAllowedError":
      return epitomeError(
        "misconfigured",
        `${name} may not be used now: a model that has to be downloaded is loaded only after a click or a key of the user, and a page may forbid it by its Permissions-Policy; the browser says: ${said}`,
        thrown,
      );
    case "NotSupportedError":
      return epitomeError("misconfigured", `${name} does not do what was asked, such as a language of \`languages\`; the browser says: ${said}`, thrown);
    case "NotReadableError":
      return epitomeError("filtered", `a filter of the browser stopped the answer; it says: ${said}`, thrown);
    default:
      // A model that has crashed is loaded again.
      return Object.assign(epitomeError("overloaded", `${name} failed; the browser says: ${said}`, thrown), { retryable: true });
  }
}

/** Reads the texts of a stream, and gives each to a listener. */
export async function textOfStream(stream: ReadableStream<string>, onDelta: ((text: string) => void) | undefined): Promise<string> {
  const reader = stream.getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return text;
    }
    text += value;
    listened(() => onDelta?.(value));
  }
}

/** Checked, and refused if it has messages: these models take texts. */
export function transcriptOf<R extends { messages?: unknown }>(request: R): R {
  const asked = fieldsOf(request, "request");
  if (asked.messages !== undefined) {
    throw epitomeError("refused", "a model of the browser takes a transcript, and no messages");
  }
  return asked;
}
