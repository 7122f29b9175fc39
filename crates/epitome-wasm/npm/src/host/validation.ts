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
}

/** What the provider of a format would refuse in these messages. */
export async function validateBy(
  source: Source,
  messages: readonly object[],
  format: Format,
  options: ValidateOptions = {},
): Promise<Issue[]> {
  const { strict = false } = fieldsOf(options, "options");
  const [list, name] = [measured(messages), formatOf(format)];
  return (await load(source)).validate(list, name, strict === true);
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
export function measured<M>(messages: readonly M[]): M[] {
  const list = messagesOf(messages, "messages");
  sizesOf(list);
  return list;
}

function formatOf(format: Format): string {
  return textOf(format, "format", "unknown-format");
}
