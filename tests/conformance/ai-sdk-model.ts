// What the AI SDK refuses in ModelMessages, and what the provider behind it would refuse in the prompt it makes.

import { generateText, type ModelMessage, modelMessageSchema, type SystemModelMessage, type ToolModelMessage } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { type Fields, fieldsOf, halves, listOf } from "./check.js";

type Prompt = MockLanguageModelV4["doGenerateCalls"][number]["prompt"];

export async function check(messages: readonly unknown[]): Promise<string[]> {
  const shapeless = messages.flatMap((message, index) => {
    const issues = modelMessageSchema.safeParse(message).error?.issues ?? [];
    return issues.map(({ path, message }) => `messages[${index}] is not a ModelMessage: ${path.join(".")} ${message}`);
  });
  if (shapeless.length > 0) {
    return shapeless;
  }
  const reasons = [...approvals(messages.map(fieldsOf)), ...halves(messages)];
  const prompt = await promptOf(messages as ModelMessage[]);
  return [...reasons, ...(typeof prompt === "string" ? [prompt] : refused(prompt))];
}

/** The prompt for a provider. Leading system messages are given as instructions, which the SDK requires. */
async function promptOf(messages: readonly ModelMessage[]): Promise<Prompt | string> {
  const first = messages.findIndex(({ role }) => role !== "system");
  const [leading, rest] = first < 0 ? [messages, []] : [messages.slice(0, first), messages.slice(first)];
  const model = new MockLanguageModelV4({
    supportedUrls: { "*/*": [/.*/] },
    doGenerate: {
      content: [{ type: "text", text: "Yes." }],
      finishReason: { unified: "stop", raw: "stop" },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
      warnings: [],
    },
  });
  try {
    await generateText({ model, instructions: leading as SystemModelMessage[], messages: [...rest], maxRetries: 0 });
  } catch (error) {
    return `the AI SDK refuses: ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`;
  }
  return model.doGenerateCalls[0]?.prompt ?? "the AI SDK asks no model";
}

function refused(prompt: Prompt): string[] {
  const reasons: string[] = [];
  let open = new Set<string>();
  for (const [index, { role, content }] of prompt.entries()) {
    if (content.length === 0) {
      reasons.push(`prompt[${index}] is empty`);
    }
    if (role === "system") {
      continue;
    }
    if (content.length > 0 && content.every(({ type }) => type === "reasoning" || type === "reasoning-file")) {
      reasons.push(`prompt[${index}] is nothing but reasoning`);
    }
    const answers = role === "tool" ? content.flatMap((part) => (part.type === "tool-result" ? [part.toolCallId] : [])) : [];
    for (const id of answers) {
      reasons.push(...(open.delete(id) ? [] : [`prompt[${index}] answers ${id}, which the message before does not call`]));
    }
    reasons.push(...[...open].map((id) => `prompt[${index}] has no result of the call ${id}`));
    const calls =
      role === "assistant"
        ? content.flatMap((part) => (part.type === "tool-call" && part.providerExecuted !== true ? [part.toolCallId] : []))
        : [];
    open = new Set(calls);
    if (open.size < calls.length) {
      reasons.push(`prompt[${index}] calls twice under one id`);
    }
    reasons.push(...blanks(content).map((at) => `prompt[${index}].content[${at}] is a blank text`));
  }
  return reasons;
}

function blanks(content: readonly { readonly type: string }[]): number[] {
  return content.flatMap((part, at) => (part.type === "text" && String(fieldsOf(part)["text"]).trim() === "" ? [at] : []));
}

type Part = Exclude<ModelMessage["content"], string>[number] | ToolModelMessage["content"][number];

/** An approval response comes after its request, and the request is in the message with its call. */
function approvals(messages: readonly Fields[]): string[] {
  const asked = new Set<unknown>();
  return messages.flatMap((message, index) => {
    const parts = listOf(message["content"]) as readonly Part[];
    const calls = new Set(parts.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : [])));
    return parts.flatMap((part, at) => {
      if (part.type === "tool-approval-request") {
        asked.add(part.approvalId);
        return calls.has(part.toolCallId) ? [] : [`messages[${index}].content[${at}] asks for approval of a call that is not next to it`];
      }
      const known = part.type !== "tool-approval-response" || asked.has(part.approvalId);
      return known ? [] : [`messages[${index}].content[${at}] answers ${part.approvalId}, which was not asked`];
    });
  });
}
