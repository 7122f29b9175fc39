// Finds and repairs what a provider would refuse, and converts messages between formats.

import { fieldsOf, messagesOf, textOf } from "../arguments.js";
import type { Converted, Format, Issue, Repaired } from "../glue/epitome.js";
import { load, type Source } from "../wasm/engine.js";
import { sizesOf } from "./plain-json.js";

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
}

/** What the provider of a format would refuse in these messages. */
export async function validateBy(
  source: Source,
  messages: readonly object[],
  format: Format,
  options: ValidateOptions = {},
): Promise<Issue[]> {
  const { strict = false, earlier = [], model } = fieldsOf(options, "options");
  const [list, name] = [measured(messages), formatOf(format)];
  const sent = messagesOf(earlier, "options.earlier").map((request, index) => measured(request, `options.earlier[${index}]`));
  const named = model === undefined ? undefined : textOf(model, "options.model");
  const engine = await load(source);
  const issues = engine.validate(list, name, strict === true);
  return sent.length === 0 ? issues : [...issues, ...engine.validateLocked(list, name, sent, named)];
}

/** The messages as the provider of a format accepts them. */
export async function repairBy<M extends object>(
  source: Source,
  messages: readonly M[],
  format: Format,
): Promise<Repaired<M>> {
  const [list, name] = [measured(messages), formatOf(format)];
  return (await load(source)).repair(list, name) as Repaired<M>;
}

/** The messages in another format. */
export async function convertBy<M extends object>(
  source: Source,
  messages: readonly object[],
  from: Format,
  to: Format,
): Promise<Converted<M>> {
  const [list, own, target] = [measured(messages), formatOf(from), formatOf(to)];
  return (await load(source)).convert(list, own, target) as Converted<M>;
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
