// Makes compactors, new and restored, and plans without a compactor.

import { loadCountings } from "../counting/policy-counting.js";
import { fieldsOf, messagesOf, optionalSignal, optionalText, textOf } from "../arguments.js";
import { epitomeError } from "../error.js";
import type { Compactor as Engine, Format } from "../glue/epitome.js";
import { load, type Modules } from "../wasm/engine.js";
import { bufferOf } from "../wasm/instances.js";
import { partsOf } from "../wasm/parts.js";
import { addFormats, loadConversionFrom } from "./agent-formats.js";
import type { Compactor } from "./compactor.js";
import { originalsOf } from "./commits.js";
import { Conversation } from "./conversation.js";
import { extractiveFrom } from "./extractive.js";
import type { Form } from "./forms.js";
import { loadWindows } from "./model-window.js";
import { type CompactorOptions, hostOf, type RestoreOptions } from "./options.js";
import { pause } from "./pause.js";
import { sizesOf } from "./plain-json.js";
import { inSlices } from "./slices.js";
import type { Plan, PlanningOptions } from "./plan.js";

/** A compactor for a new conversation. */
export async function create<M extends object>(
  modules: Modules,
  given: CompactorOptions<M, Format>,
): Promise<Compactor<M>> {
  const options = fieldsOf(given, "options");
  const { tokenizers } = options;
  const format = textOf(options.format, "format", "unknown-format");
  const agent = optionalText(options.agent, "agent");
  const notes = optionalText(options.notes, "notes");
  const { policy, unknown } = await loadWindows(options.policy);
  const host = hostOf({ ...options, ...(policy !== undefined && { policy }) }, extractiveFrom(modules));
  const engine = await load(modules, ...partsOf(format as Format));
  await loadCountings(engine.countingsOf(policy, agent), modules, tokenizers);
  const compactor = new engine.Compactor(format, policy, agent);
  if (notes !== undefined) {
    compactor.setReturnedNotes(notes);
  }
  if (host.commit !== undefined) {
    compactor.collectUnsaved(false);
  }
  const conversation = new Conversation<M>(engine, compactor, host, modules);
  conversation.noteModels(policy, unknown);
  conversation.noteSummarizer();
  return conversation;
}

/** A compactor that continues from a snapshot. */
export async function restore<M extends object>(
  modules: Modules,
  snapshot: string,
  given: RestoreOptions<M, Format>,
): Promise<Compactor<M>> {
  const options = fieldsOf(given, "options");
  const { tokenizers } = options;
  const text = textOf(snapshot, "snapshot", "invalid-snapshot");
  const format = textOf(options.format, "format", "unknown-format");
  const agent = optionalText(options.agent, "agent");
  const signal = optionalSignal(options.signal);
  const react = reactionOf(text, signal);
  const forms = new Map<string, Form>();
  const stored = options.originals === undefined ? await originalsIn<M>(text, forms, react) : undefined;
  const list = options.originals === undefined ? [] : messagesOf<M>(options.originals, "originals", "invalid-originals");
  sizesOf(list);
  const host = hostOf(options, extractiveFrom(modules));
  const engine = await load(modules, "snapshots", ...partsOf(format as Format));
  await react();
  const parsed = engine.ParsedSnapshot.parse(bufferOf(engine).write(text));
  try {
    await loadCountings(parsed.countings(), modules, tokenizers);
    await react();
  } catch (error) {
    parsed.free();
    throw error;
  }
  const restored = engine.Compactor.restore(parsed, format, agent);
  let compactor: Compactor<M> | undefined;
  try {
    await react();
    if (restored.hasAgentFormats()) {
      await loadConversionFrom(modules);
      addFormats(engine);
    }
    const ids = restored.ids();
    const { path, others } = partition<M>(restored, list);
    const originals = stored === undefined ? path : ids.flatMap((id) => stored.get(id) ?? []);
    await inSlices(originals, signal, (slice, first) => restored.compare(slice, first, originals.length));
    if (host.commit !== undefined) {
      restored.collectUnsaved(stored !== undefined);
    }
    const conversation = new Conversation<M>(engine, restored, host, modules, originals, others, stored, forms.values());
    compactor = conversation;
    conversation.noteSummarizer();
    await compactor.appendInSlices(originals.slice(ids.length), { ...(signal !== undefined && { signal }) });
    return compactor;
  } catch (error) {
    if (compactor === undefined) {
      restored.free();
    } else {
      compactor.dispose();
    }
    throw error;
  }
}

/** Characters of a snapshot that are read in one step. */
const STEP = 1_000_000;

/** What is awaited between two steps of restoring a snapshot. A short one is restored in one. */
function reactionOf(snapshot: string, signal: AbortSignal | undefined): () => Promise<void> {
  return async () => {
    if (snapshot.length > STEP) {
      await pause();
    }
    if (signal?.aborted === true) {
      throw epitomeError("aborted", "it was aborted before the conversation was restored", signal.reason);
    }
  };
}

/** The app's messages in a snapshot, by their ids; `forms` gets those that agents have in a format of their own. */
async function originalsIn<M extends object>(snapshot: string, forms: Map<string, Form>, react: () => Promise<void>): Promise<Map<string, M>> {
  const found = new Map<string, M>();
  for (let from = 0; from < snapshot.length; ) {
    const end = snapshot.indexOf("\n", from + STEP) + 1 || snapshot.length;
    for (const [id, message] of originalsOf(snapshot.slice(from, end), forms)) {
      found.set(id, message as M);
    }
    from = end;
    await react();
  }
  return found;
}

/** The messages of the conversation, and by their ids those that are only for some agents, of all in the order in which they
 * were appended. */
function partition<M extends object>(engine: Engine, messages: M[]): { path: M[]; others: Map<string, M> } {
  const others = new Map<string, M>();
  const asides = engine.asides();
  if (asides.length === 0) {
    return { path: messages, others };
  }
  const ids = engine.ids();
  const path: M[] = [];
  for (const message of messages) {
    const [next, aside] = [ids[path.length], asides[others.size]];
    const isOfAll = next !== undefined && engine.isSame(next, message);
    if (!isOfAll && aside !== undefined && engine.isSame(aside, message)) {
      others.set(aside, message);
    } else {
      path.push(message);
    }
  }
  return { path, others };
}

/** How a plan is made without a compactor. */
export interface PlanOptions
  extends Pick<CompactorOptions<object, Format>, "format" | "policy" | "agent" | "tokenizers">,
    PlanningOptions {}

/** What a compaction of `messages` would do. */
export async function planFor<M extends object>(
  modules: Modules,
  messages: readonly M[],
  options: PlanOptions,
): Promise<Plan> {
  const { format, policy, agent, tokenizers, ...planning } = fieldsOf(options, "options");
  const all = messagesOf(messages, "messages");
  const compactor = await create<M>(modules, {
    format,
    ...(policy !== undefined && { policy }),
    ...(agent !== undefined && { agent }),
    ...(tokenizers !== undefined && { tokenizers }),
  });
  try {
    await compactor.appendInSlices(all);
    return compactor.plan(planning);
  } finally {
    compactor.dispose();
  }
}
