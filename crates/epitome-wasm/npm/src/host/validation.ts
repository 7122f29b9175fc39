// Finds and repairs what a provider would refuse, and converts messages between formats.

import { fieldsOf, messagesOf, optionalSignal, textOf } from "../arguments.js";
import { epitomeError, property } from "../error.js";
import type { Format } from "../glue/epitome.js";
import type { Converted, Detection, Issue, LongWork, ReadMessages, Repaired } from "../glue/validation.js";
import type { Source } from "../wasm/engine.js";
import { RECALL_TOOL } from "../recall/tool.js";
import { loaderOf } from "../wasm/glued.js";
import { sizesOf } from "./plain-json.js";
import { pause } from "./pause.js";
import { checkAborted, inSlices } from "./slices.js";

/** Loads the module that validates and converts. */
export const loadValidation = loaderOf(() => import("../glue/validation-factory.js"));

/** The functions of that module. */
export type Validation = Awaited<ReturnType<typeof loadValidation>>;

/** How messages are read. */
export interface ReadOptions {
  /** Many messages are read in slices, and the page reacts in between. If it is aborted, the promise rejects with `aborted`. */
  signal?: AbortSignal;
}

/** How strictly messages are validated. */
export interface ValidateOptions extends ReadOptions {
  /** Also report what only some servers of this format refuse: roles that do not alternate, system messages after other
   * messages, ids that are used twice. */
  strict?: boolean;
  /** The messages of the requests that were sent before, oldest first. With them, signed reasoning is found that `model` would
   * refuse, because it stands behind other messages than those that it was written behind (`bound-reasoning`). */
  earlier?: readonly (readonly object[])[];
  /** Name of the model. Default: one that accepts its reasoning only behind an unchanged history, as Claude Fable from 5.1. */
  model?: string;
  /** The tools of the request, as it takes them. With them, notes of reducers are found that stand for text which the model cannot
   * get back (`unreachable`): with the tool of `recallTool` among them, there are none. Leave it out if you send what
   * `messagesWithRecall` returns and need no tool. */
  tools?: readonly object[] | Readonly<Record<string, object>>;
  /** The names of your tools that return what `offloaded(path)` does. Notes with a path are reachable by one of them in `tools`. */
  readBack?: readonly string[];
}

/** What the provider of a format would refuse in these messages. */
export async function validateBy(
  source: Source,
  messages: readonly object[],
  format: Format,
  options: ValidateOptions = {},
): Promise<Issue[]> {
  const { strict = false, earlier = [], model, tools, readBack = [], signal: given } = fieldsOf(options, "options");
  const signal = optionalSignal(given);
  const [list, name] = [messagesOf(messages, "messages"), formatOf(format)];
  const sent = messagesOf(earlier, "options.earlier").map((request, index) => messagesOf(request, `options.earlier[${index}]`));
  const named = model === undefined ? undefined : textOf(model, "options.model");
  const known = tools === undefined ? undefined : namesOfTools(tools);
  if (!Array.isArray(readBack)) {
    throw epitomeError("invalid-option", "options.readBack: expected a list of names of tools");
  }
  const module = await loadValidation(source);
  const read = await readInSlices(module, list, name, signal);
  try {
    const issues = await done<Issue[]>(read.validate(strict === true), list.length, signal);
    const requests: ReadMessages[] = [];
    for (const request of sent) {
      requests.push(await readInSlices(module, request, name, signal));
    }
    const locked = requests.length === 0 ? [] : await done<Issue[]>(read.validateLocked(requests, named), list.length, signal);
    const isReachable = known === undefined || known.includes(RECALL_TOOL);
    const reads = !isReachable && readBack.some((tool) => known.includes(tool));
    const notes = isReachable ? [] : await done<Issue[]>(read.validateNotes(reads), list.length, signal);
    return [...issues, ...locked, ...notes];
  } finally {
    read.free();
  }
}

/** Reads messages, in slices if they are many. The caller frees them. */
async function readInSlices(
  module: Validation,
  messages: readonly object[],
  format: string,
  signal: AbortSignal | undefined,
): Promise<ReadMessages> {
  const read = new module.ReadMessages(format);
  try {
    await inSlices(messages, signal, (slice) => read.add(slice));
    return read;
  } catch (error) {
    read.free();
    throw error;
  }
}

/** The result of a long work on so many messages, which is done in slices. */
async function done<R>(work: LongWork, messages: number, signal: AbortSignal | undefined): Promise<R> {
  try {
    for (;;) {
      const result = work.advance() as R | undefined;
      // Also behind the last slice: to free the memory of many messages takes as long as one.
      await pause();
      if (result !== undefined) {
        return result;
      }
      checkAborted(signal, messages, messages);
    }
  } finally {
    work.free();
  }
}

/** The result of a work on messages that are read at once, without pauses. */
function doneAtOnce<R>(module: Validation, messages: readonly object[], format: string, begin: (read: ReadMessages) => LongWork): R {
  const read = new module.ReadMessages(format);
  try {
    read.add([...messages]);
    const work = begin(read);
    try {
      for (;;) {
        const result = work.advance() as R | undefined;
        if (result !== undefined) {
          return result;
        }
      }
    } finally {
      work.free();
    }
  } finally {
    read.free();
  }
}

/** The issues of messages that are read at once. */
export function issuesOf(module: Validation, messages: readonly object[], format: string): Issue[] {
  return doneAtOnce(module, messages, format, (read) => read.validate(false));
}

/** Messages that are read at once, as the provider accepts them. */
export function repairedOf<M extends object>(module: Validation, messages: readonly M[], format: string): M[] {
  return doneAtOnce<Repaired<M>>(module, messages, format, (read) => read.repair()).messages;
}

/** A user's message in a format. */
export function userMessage(module: Validation, text: string, format: string): object[] {
  const messages = [{ role: "user", content: text }];
  return doneAtOnce<Converted>(module, messages, "openai-chat", (read) => read.convert(format)).messages;
}

/** The names of the tools of a request, in any format. */
function namesOfTools(tools: readonly object[] | Readonly<Record<string, object>>): string[] {
  if (!Array.isArray(tools)) {
    return Object.keys(fieldsOf(tools, "options.tools"));
  }
  return tools.flatMap((tool: unknown): string[] => {
    const declared = property(tool, "functionDeclarations");
    if (Array.isArray(declared)) {
      return namesOfTools(declared);
    }
    const holder = [property(tool, "function"), property(tool, "toolSpec"), tool].find((each) => typeof property(each, "name") === "string");
    return holder === undefined ? [] : [property(holder, "name") as string];
  });
}

/** The messages as the provider of a format accepts them. */
export async function repairBy<M extends object>(
  source: Source,
  messages: readonly M[],
  format: Format,
  options: ReadOptions = {},
): Promise<Repaired<M>> {
  const [list, name] = [messagesOf(messages, "messages"), formatOf(format)];
  const signal = optionalSignal(fieldsOf(options, "options").signal);
  const read = await readInSlices(await loadValidation(source), list, name, signal);
  try {
    return await done<Repaired<M>>(read.repair(), list.length, signal);
  } finally {
    read.free();
  }
}

/** The messages in another format. */
export async function convertBy<M extends object>(
  source: Source,
  messages: readonly object[],
  from: Format,
  to: Format,
  options: ReadOptions = {},
): Promise<Converted<M>> {
  const [list, own, target] = [messagesOf(messages, "messages"), formatOf(from), formatOf(to)];
  const signal = optionalSignal(fieldsOf(options, "options").signal);
  const read = await readInSlices(await loadValidation(source), list, own, signal);
  try {
    return await done<Converted<M>>(read.convert(target), list.length, signal);
  } finally {
    read.free();
  }
}

/** The format of messages, by what only that format has. */
export async function detectBy(source: Source, messages: readonly unknown[]): Promise<Detection> {
  const list = measured(messages);
  return (await loadValidation(source)).detectFormat(list);
}

/** The same. Throws if they could be of several formats. */
export async function knownFormat(source: Source, messages: readonly object[]): Promise<Format> {
  const detection = await detectBy(source, messages);
  if (detection.kind === "known") {
    return detection.format;
  }
  throw epitomeError("unknown-format", "format: the history could be of any format; give the format of its messages");
}

/** Messages of a size that the engine can read. */
export function measured<M>(messages: readonly M[], argument = "messages"): M[] {
  const list = messagesOf(messages, argument);
  sizesOf(list);
  return list;
}

function formatOf(format: Format): string {
  return textOf(format, "format", "unknown-format");
}
