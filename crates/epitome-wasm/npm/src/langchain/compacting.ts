// LangChain's messages, compacted without a compactor that lives on: a thread's state goes on from its own summary.

import { type BaseMessage, HumanMessage, isAIMessage, isBaseMessage, SystemMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { compactMessages } from "../api/api.js";
import { property } from "../error.js";
import type { PolicySpec, Report } from "../glue/epitome.js";
import { type OptionsWithoutFormat, withModel } from "../host/given.js";
import type { Summarize } from "../host/summarize.js";

/** A chat model of LangChain. */
export interface ChatModel {
  /** Answers these messages. */
  invoke(messages: BaseMessage[], config?: RunnableConfig): Promise<{ readonly text: string; readonly usage_metadata?: object | undefined }>;
}

/** Options in the words of LangChain's `summarizationMiddleware`, and those of a compactor. */
export interface CompactionOptions extends Omit<OptionsWithoutFormat<BaseMessage>, "notes" | "save" | "commit"> {
  /** Writes the summaries, as `summarize` would. Without both, a summary is made of the messages alone, without a model. The window
   * is that of this model, unless the policy says otherwise. */
  model?: ChatModel;
  /** When to compact; see `trigger` of a policy. */
  trigger?: PolicySpec["trigger"];
  /** How much of the end stays; see `keep` of a policy. */
  keep?: PolicySpec["keep"];
}

/** Messages after a compaction that was due, or as they were. */
export interface Compacted {
  readonly messages: BaseMessage[];
  readonly report: Report | undefined;
}

/** What LangChain calls a message that is a summary. */
const SOURCE = { lc_source: "summarization" };

/** The field of a summary with what its summarizer wants to find again. */
const NOTES = "epitome_notes";

/** A function that compacts messages if that is due. */
export function compacting(options: CompactionOptions): (messages: readonly BaseMessage[], signal?: AbortSignal) => Promise<Compacted> {
  const { model, trigger, keep, ...others } = options;
  const policy = { ...others.policy, ...(trigger !== undefined && { trigger }), ...(keep !== undefined && { keep }) };
  const summarize = others.summarize ?? (model === undefined ? undefined : summarizeBy(model));
  const complete = withModel({ ...others, policy, ...(summarize !== undefined && { summarize }) }, nameOf(model));
  return async (messages, signal) => {
    const usage = messages.findLast((message) => isAIMessage(message)) as { usage_metadata?: object } | undefined;
    const notes = messages.flatMap(({ additional_kwargs: fields }) => (typeof fields?.[NOTES] === "string" ? [fields[NOTES]] : []));
    const compacted = await compactMessages<BaseMessage>(messages, {
      ...complete,
      format: "langchain",
      usage: usage?.usage_metadata,
      notes: notes.at(-1),
      ...(signal !== undefined && { signal }),
    });
    const own = new Set(messages);
    const made = compacted.messages.map((message) => (own.has(message) ? message : instanceOf(message, compacted.notes)));
    return { messages: made, report: compacted.report };
  };
}

/** What the engine has made, as an instance, and a summary with its source. */
function instanceOf(message: BaseMessage, notes: string): BaseMessage {
  const fields = (isBaseMessage(message) ? message : property(message, "kwargs")) as { content: string; id?: string; additional_kwargs?: object };
  const type = isBaseMessage(message) ? message.getType() : undefined;
  const isSummary = typeof fields.content === "string" ? fields.content.includes(SUMMARY) : JSON.stringify(fields.content).includes(SUMMARY);
  if (!isSummary || (type !== undefined && type !== "human" && type !== "system")) {
    return message;
  }
  const isSystem = type === "system" || (property(message, "id") as unknown[] | undefined)?.at?.(-1) === "SystemMessage";
  const { content, id } = fields;
  const additional_kwargs = { ...fields.additional_kwargs, ...SOURCE, ...(notes !== "" && { [NOTES]: notes }) };
  const all = { content, additional_kwargs, ...(id !== undefined && { id }) };
  return isSystem ? new SystemMessage(all) : new HumanMessage(all);
}

/** How a summary of this package begins. */
const SUMMARY = "<conversation-summary";

function summarizeBy(model: ChatModel): Summarize<BaseMessage> {
  return async ({ system, input }, { signal }) => {
    const { text, usage_metadata: usage } = await model.invoke([new SystemMessage(system), new HumanMessage(input)], {
      signal,
      // As LangChain's own middleware: what streams an agent's answer does not show the summary.
      metadata: SOURCE,
      tags: ["langsmith:nostream"],
    });
    return { text, ...(usage !== undefined && { usage }) };
  };
}

function nameOf(model: ChatModel | undefined): string | undefined {
  const name = property(model, "model") ?? property(model, "modelName");
  return typeof name === "string" ? name : undefined;
}
