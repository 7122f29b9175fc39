// What a provider would refuse, and what can be done about it.

import { load, type Source } from "./engine.js";
import type { Converted, Format, Issue, Repaired } from "./glue/epitome.js";

/** How strict a provider is taken to be. */
export interface ValidateOptions {
  /** Also find what only some servers of this format refuse: roles that do not take turns, system messages
   * behind others, ids that are used again. */
  strict?: boolean;
}

export async function validateBy(
  source: Source,
  messages: readonly object[],
  format: Format,
  { strict = false }: ValidateOptions = {},
): Promise<Issue[]> {
  return (await load(source)).validate(Array.from(messages), String(format), strict);
}

export async function repairBy<M extends object>(
  source: Source,
  messages: readonly M[],
  format: Format,
): Promise<Repaired<M>> {
  return (await load(source)).repair(Array.from(messages), String(format)) as Repaired<M>;
}

export async function convertBy<M extends object>(
  source: Source,
  messages: readonly object[],
  from: Format,
  to: Format,
): Promise<Converted<M>> {
  return (await load(source)).convert(Array.from(messages), String(from), String(to)) as Converted<M>;
}
