// Makes compactors, new and restored, and plans without a compactor.

import { loadCounting } from "../counting/engine-encoding.js";
import { epitomeError } from "../error.js";
import type { Format, Reason } from "../glue/epitome.js";
import { load, type Modules } from "../wasm/engine.js";
import { engineBuffer } from "../wasm/loaded.js";
import type { Compactor } from "./compactor.js";
import { Conversation } from "./conversation.js";
import { extractiveFrom } from "./extractive.js";
import { type CompactorOptions, type Host, type HostOptions, nameOf, type RestoreOptions, timeoutOf } from "./options.js";
import type { Plan } from "./plan.js";

/** A compactor for a new conversation. */
export async function create<M extends object>(
  modules: Modules,
  options: CompactorOptions<M>,
): Promise<Compactor<M>> {
  const { format, policy, tokenizers } = options;
  const agent = nameOf(options.agent);
  const host = hostOf(modules, options);
  const engine = await load(modules.engine);
  await loadCounting(engine, engine.countingOf(policy, agent), modules.tokenizers, tokenizers);
  const compactor = new engine.Compactor(String(format), policy, agent);
  return new Conversation<M>(engine, compactor, host);
}

/** A compactor that continues from a snapshot. */
export async function restore<M extends object>(
  modules: Modules,
  snapshot: string,
  options: RestoreOptions<M>,
): Promise<Compactor<M>> {
  const { format, originals, tokenizers } = options;
  if (!Array.isArray(originals)) {
    throw epitomeError("invalid-originals", "originals: give the messages as an array");
  }
  const all = Array.from(originals);
  const host = hostOf(modules, options);
  const engine = await load(modules.engine);
  const parsed = engine.ParsedSnapshot.parse(engineBuffer().write(String(snapshot)));
  await loadCounting(engine, parsed.counting(), modules.tokenizers, tokenizers);
  const restored = engine.Compactor.restore(parsed, String(format), all, nameOf(options.agent));
  const known = restored.ids().length;
  const compactor = new Conversation<M>(engine, restored, host, originals);
  try {
    compactor.append(originals.slice(known));
  } catch (error) {
    compactor.dispose();
    throw error;
  }
  return compactor;
}

/** How a plan is made without a compactor. */
export interface PlanOptions extends Pick<CompactorOptions, "format" | "policy" | "agent" | "tokenizers"> {
  /** Default: `session-compaction`. */
  reason?: Reason;
}

/** What a compaction of `messages` would do. */
export async function planFor<M extends object>(
  modules: Modules,
  messages: readonly M[],
  options: PlanOptions,
): Promise<Plan> {
  const { reason = "session-compaction", ...rest } = options;
  const compactor = await create<M>(modules, rest);
  try {
    compactor.append(messages);
    return compactor.plan({ reason });
  } finally {
    compactor.dispose();
  }
}

function hostOf<M extends object>({ engine }: Modules, options: HostOptions<M> & { format: Format }): Host<M> {
  const summarizeTimeoutMs = timeoutOf(options.summarizeTimeoutMs);
  return { ...options, summarize: options.summarize ?? extractiveFrom(engine), summarizeTimeoutMs, repair: options.repair !== false };
}
