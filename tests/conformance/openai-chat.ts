// What OpenAI's Chat Completions refuse: by the types of `openai`, and known causes of a 400.

import type OpenAI from "openai";
import { broken, either, filled, list, misshapen, object, oneOf, type Rule, type Rules, type Shapes, text } from "./shapes.js";
import { type CheckOptions, type Fields, fieldsOf, halves, listOf } from "./check.js";

type Param = OpenAI.Chat.ChatCompletionMessageParam;
type Of<R extends Param["role"]> = Extract<Param, { role: R }>;

const ROLES: { readonly [R in Param["role"]]: Omit<Rules<Of<R>>, "role"> } = {
  system: { content: either(text, list) },
  developer: { content: either(text, list) },
  user: { content: either(text, list) },
  assistant: {},
  tool: { content: either(text, list), tool_call_id: filled },
  function: { content: either(text, (content) => content === null), name: filled },
};

const INPUT: Shapes<OpenAI.Chat.ChatCompletionContentPart> = {
  text: { text },
  image_url: { image_url: (image) => filled(fieldsOf(image)["url"]) },
  input_audio: { input_audio: object },
  file: { file: object },
};

const OUTPUT: Shapes<OpenAI.Chat.ChatCompletionContentPartText | OpenAI.Chat.ChatCompletionContentPartRefusal> = {
  text: { text },
  refusal: { refusal: text },
};

const TEXT: Shapes<OpenAI.Chat.ChatCompletionContentPartText> = { text: { text } };

const CALLS: Shapes<OpenAI.Chat.ChatCompletionMessageToolCall> = {
  function: { id: filled, function: object },
  custom: { id: filled, custom: object },
};

const FUNCTION: Rules<OpenAI.Chat.ChatCompletionMessageFunctionToolCall.Function> = {
  name: (name) => typeof name === "string" && /^[\w-]{1,64}$/.test(name),
  arguments: text,
};

const CONTENT: { readonly [R in Param["role"]]: Readonly<Record<string, Readonly<Record<string, Rule>>>> } = {
  system: TEXT,
  developer: TEXT,
  user: INPUT,
  assistant: OUTPUT,
  tool: TEXT,
  function: TEXT,
};

const role = oneOf(...Object.keys(ROLES));

export async function check(messages: readonly unknown[], { strict = false }: CheckOptions = {}): Promise<string[]> {
  const all = messages.map(fieldsOf);
  const reasons = [...all.flatMap(message), ...pairing(all), ...halves(messages)];
  if (!all.some(({ role }) => role !== "system" && role !== "developer")) {
    reasons.push("there are only system messages");
  }
  return strict ? [...reasons, ...all.flatMap(disliked)] : reasons;
}

function message(message: Fields, index: number): string[] {
  const where = `messages[${index}]`;
  const speaker = message["role"] as Param["role"];
  if (!role(speaker)) {
    return [`${where}.role is ${String(speaker)}`];
  }
  const { content } = message;
  const reasons = broken(message, ROLES[speaker], where);
  if (Array.isArray(content)) {
    reasons.push(...(content.length === 0 ? [`${where}.content is an empty list`] : []));
    reasons.push(...content.flatMap((part, at) => misshapen(fieldsOf(part), CONTENT[speaker], `${where}.content[${at}]`)));
  }
  return speaker === "assistant" ? [...reasons, ...assistant(message, where)] : reasons;
}

function assistant(message: Fields, where: string): string[] {
  const { content, tool_calls: calls } = message;
  const reasons: string[] = [];
  if (!either(text, list, (absent) => absent === null || absent === undefined)(content)) {
    reasons.push(`${where}.content is neither text nor a list`);
  }
  const says = [content, message["refusal"], message["audio"], message["function_call"], calls];
  if (!says.some((part) => (Array.isArray(part) ? part.length > 0 : part !== null && part !== undefined && part !== ""))) {
    reasons.push(`${where} has neither content nor tool calls`);
  }
  if (calls === undefined || calls === null) {
    return reasons;
  }
  if (!Array.isArray(calls) || calls.length === 0) {
    return [...reasons, `${where}.tool_calls is not a list of at least one`];
  }
  return [...reasons, ...calls.flatMap((call, at) => oneCall(fieldsOf(call), `${where}.tool_calls[${at}]`))];
}

function oneCall(call: Fields, where: string): string[] {
  const reasons = misshapen(call, CALLS, where);
  return call["type"] === "function"
    ? [...reasons, ...broken(fieldsOf(call["function"]), FUNCTION, `${where}.function`)]
    : reasons;
}

/** Every call has one result, directly after the message that makes it. */
function pairing(messages: readonly Fields[]): string[] {
  const reasons: string[] = [];
  let open = new Set<unknown>();
  const close = (where: string) => {
    reasons.push(...[...open].map((id) => `${where} comes before the answer to the call ${String(id)}`));
    open = new Set();
  };
  for (const [index, message] of messages.entries()) {
    if (message["role"] === "tool") {
      const { tool_call_id: id } = message;
      if (!open.delete(id)) {
        reasons.push(`messages[${index}] answers ${String(id)}, which no message right before it calls`);
      }
      continue;
    }
    close(`messages[${index}]`);
    const ids = listOf(message["tool_calls"]).map((call) => fieldsOf(call)["id"]);
    open = new Set(ids);
    if (open.size < ids.length) {
      reasons.push(`messages[${index}] calls twice under one id`);
    }
  }
  close("the end");
  return reasons;
}

/** What OpenAI accepts and other servers of this format refuse. */
function disliked(message: Fields, index: number): string[] {
  const { content } = message;
  const blank = (text: unknown) => typeof text === "string" && text.trim() === "";
  const texts = Array.isArray(content) ? content.map((part) => fieldsOf(part)["text"]) : [content];
  const calls = listOf(message["tool_calls"]);
  const reasons = calls.length === 0 && texts.some(blank) ? [`messages[${index}] has a blank text`] : [];
  for (const call of calls) {
    if (!isJson(fieldsOf(fieldsOf(call)["function"])["arguments"])) {
      reasons.push(`messages[${index}] calls with arguments that are not JSON`);
    }
  }
  return reasons;
}

function isJson(text: unknown): boolean {
  try {
    JSON.parse(String(text));
    return true;
  } catch {
    return false;
  }
}
