// Finds and repairs what a provider would refuse, and converts messages between formats.

import { fieldsOf, messagesOf, textOf } from "../arguments.js";
import { epitomeError, property } from "../error.js";
import type { Format } from "../glue/epitome.js";
import type { Converted, Detection, Issue, Repaired } from "../glue/validation.js";
import type { Source } from "../wasm/engine.js";
import { RECALL_TOOL } from "../recall/tool.js";
import { loaderOf } from "../wasm/glued.js";
import { sizesOf } from "./plain-json.js";

/** Loads the module that validates and converts. */
export const loadValidation = loaderOf(() => import("../glue/validation-factory.js"));

/** The functions of that module. */
export type Validation = Awaited<ReturnType<typeof loadValidation>>;

/** How strictly messages are validated. */
export interface ValidateOptions {
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
  const { strict = false, earlier = [], model, tools, readBack = [] } = fieldsOf(options, "options");
  const [list, name] = [measured(messages), formatOf(format)];
  const sent = messagesOf(earlier, "options.earlier").map((request, index) => measured(request, `options.earlier[${index}]`));
  const named = model === undefined ? undefined : textOf(model, "options.model");
  const known = tools === undefined ? undefined : namesOfTools(tools);
  if (!Array.isArray(readBack)) {
    throw epitomeError("invalid-option", "options.readBack: expected a list of names of tools");
  }
  const module = await loadValidation(source);
  const issues = module.validate(list, name, strict === true);
  const locked = sent.length === 0 ? [] : module.validateLocked(list, name, sent, named);
  const isReachable = known === undefined || known.includes(RECALL_TOOL);
  const notes = isReachable ? [] : module.validateNotes(list, name, readBack.some((tool) => known.includes(tool)));
  return [...issues, ...locked, ...notes];
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
): Promise<Repaired<M>> {
  const [list, name] = [measured(messages), formatOf(format)];
  return (await loadValidation(source)).repair(list, name) as Repaired<M>;
}

/** The messages in another format. */
export async function convertBy<M extends object>(
  source: Source,
  messages: readonly object[],
  from: Format,
  to: Format,
): Promise<Converted<M>> {
  const [list, own, target] = [measured(messages), formatOf(from), formatOf(to)];
  return (await loadValidation(source)).convert(list, own, target) as Converted<M>;
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
