// Finds and repairs what a provider would refuse, and converts messages between formats.

import type { Converted, Format, Issue, Repaired } from "../glue/epitome.js";
import { load, type Source } from "../wasm/engine.js";

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
  { strict = false }: ValidateOptions = {},
): Promise<Issue[]> {
  return (await load(source)).validate(Array.from(messages), String(format), strict);
}

/** The messages as the provider of a format accepts them. */
export async function repairBy<M extends object>(
  source: Source,
  messages: readonly M[],
  format: Format,
): Promise<Repaired<M>> {
  return (await load(source)).repair(Array.from(messages), String(format)) as Repaired<M>;
}

/** The messages in another format. */
export async function convertBy<M extends object>(
  source: Source,
  messages: readonly object[],
  from: Format,
  to: Format,
): Promise<Converted<M>> {
  return (await load(source)).convert(Array.from(messages), String(from), String(to)) as Converted<M>;
}
