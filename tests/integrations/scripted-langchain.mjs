// The scripted model as a chat model of LangChain, and its tool.

import assert from "node:assert/strict";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, isBaseMessage } from "@langchain/core/messages";
import { tool } from "langchain";
import { z } from "zod";
import { lookUp } from "./scripted-model.mjs";

/** The tool that the model calls. */
export const look = tool(({ at }) => lookUp(at), { name: "look", description: "Reads a file.", schema: z.object({ at: z.string() }) });

/** A message of a prompt as the scripted model takes it. */
function neutral(message) {
  assert.ok(isBaseMessage(message), "LangChain wants instances");
  const isResult = message.getType() === "tool";
  return {
    role: { human: "user", ai: "assistant" }[message.getType()] ?? message.getType(),
    text: isResult ? "" : message.text,
    calls: (message.tool_calls ?? []).map(({ id, name, args }) => ({ id, name, input: args })),
    results: isResult ? [{ id: message.tool_call_id, text: message.text }] : [],
  };
}

/** The scripted model behind the interface of a chat model. */
export class ScriptedChatModel extends BaseChatModel {
  constructor(script) {
    super({});
    this.script = script;
  }

  _llmType() {
    return "scripted";
  }

  bindTools() {
    return this;
  }

  async _generate(messages) {
    const { text, calls, usage } = this.script.answer(messages.map(neutral));
    const message = new AIMessage({
      content: text,
      tool_calls: calls.map(({ id, name, input }) => ({ id, name, args: input, type: "tool_call" })),
      usage_metadata: { input_tokens: usage.prompt, output_tokens: usage.completion, total_tokens: usage.prompt + usage.completion },
    });
    return { generations: [{ message, text }] };
  }
}
