// What Bedrock's Converse refuses: what `@aws-sdk/client-bedrock-runtime` would not send, and known causes of a 400.

import { isDeepStrictEqual } from "node:util";
import { BedrockRuntimeClient, type ContentBlock, ConverseCommand, type Message } from "@aws-sdk/client-bedrock-runtime";
import { filled, list, object, type Rule } from "./shapes.js";
import { type Fields, fieldsOf, halves, listOf, sent } from "./check.js";

type Member = Exclude<ContentBlock extends infer B ? (B extends unknown ? keyof B : never) : never, "$unknown">;

const id: Rule = (value) => typeof value === "string" && /^[\w.:-]{1,64}$/.test(value);

const BLOCKS: { readonly [M in Member]: Rule } = {
  text: filled,
  image: object,
  document: (document) => filled(fieldsOf(document)["name"]) && object(fieldsOf(document)["source"]),
  video: object,
  audio: object,
  toolUse: (use) =>
    id(fieldsOf(use)["toolUseId"]) && /^[\w-]{1,64}$/.test(String(fieldsOf(use)["name"])) && object(fieldsOf(use)["input"]),
  toolResult: (result) => id(fieldsOf(result)["toolUseId"]) && list(fieldsOf(result)["content"]),
  guardContent: object,
  cachePoint: (point) => filled(fieldsOf(point)["type"]),
  reasoningContent: (reasoning) =>
    filled(fieldsOf(fieldsOf(reasoning)["reasoningText"])["text"]) || fieldsOf(reasoning)["redactedContent"] !== undefined,
  citationsContent: object,
  searchResult: object,
  toolAddition: object,
  toolRemoval: object,
};

export async function check(messages: readonly unknown[]): Promise<string[]> {
  const all = messages.map(fieldsOf);
  const reasons = [...all.flatMap(alone), ...pairing(all), ...halves(messages)];
  if (all.length === 0) {
    reasons.push("there are no messages");
  } else if (all[0]?.["role"] !== "user") {
    reasons.push("messages[0] is first and not from the user");
  }
  return reasons.length > 0 ? reasons : unsent(messages as Message[]);
}

const blocksOf = (message: Fields | undefined) => listOf(message?.["content"]).map(fieldsOf);

function alone(message: Fields, index: number, all: readonly Fields[]): string[] {
  const where = `messages[${index}]`;
  const { role } = message;
  const reasons = role === "user" || role === "assistant" ? [] : [`${where}.role is ${String(role)}`];
  if (index > 0 && all[index - 1]?.["role"] === role) {
    reasons.push(`${where} is a second one of the ${String(role)} in a row`);
  }
  if (blocksOf(message).length === 0) {
    reasons.push(`${where} has no content`);
  }
  return [...reasons, ...blocksOf(message).flatMap((block, at) => oneBlock(block, `${where}.content[${at}]`, role))];
}

function oneBlock(block: Fields, where: string, role: unknown): string[] {
  const [member, ...more] = Object.keys(block).filter((key) => block[key] !== undefined);
  if (member === undefined || more.length > 0 || !Object.hasOwn(BLOCKS, member)) {
    return [`${where} is not one thing that the SDK knows: ${Object.keys(block).join(", ")}`];
  }
  const misplaced =
    (member === "toolUse" && role !== "assistant") ||
    (member === "toolResult" && role !== "user") ||
    (member === "reasoningContent" && role !== "assistant");
  const right = BLOCKS[member as Member](block[member]);
  return [
    ...(right ? [] : [`${where}.${member} is invalid`]),
    ...(misplaced ? [`${where}.${member} is not for the ${String(role)}`] : []),
  ];
}

/** The message after one with calls has exactly one result for each call. */
function pairing(messages: readonly Fields[]): string[] {
  return [...Array(messages.length + 1).keys()].flatMap((index) => {
    const named = (message: Fields | undefined, member: "toolUse" | "toolResult") =>
      blocksOf(message).flatMap((block) => (block[member] === undefined ? [] : [fieldsOf(block[member])["toolUseId"]]));
    const calls = named(messages[index - 1], "toolUse");
    const results = named(messages[index], "toolResult");
    return [
      ...(new Set(calls).size < calls.length ? [`messages[${index - 1}] calls twice under one id`] : []),
      ...(new Set(results).size < results.length ? [`messages[${index}] answers a call twice`] : []),
      ...calls.filter((call) => !results.includes(call)).map((call) => `messages[${index}] has no result of ${String(call)}`),
      ...results
        .filter((call) => !calls.includes(call))
        .map((call) => `messages[${index}] answers ${String(call)}, which the message before does not call`),
    ];
  });
}

/** The SDK drops fields that it does not know. */
async function unsent(messages: Message[]): Promise<string[]> {
  const command = new ConverseCommand({ modelId: "none", messages: mapped(messages, fromBase64) as Message[] });
  const stopped = await client.send(command).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(stopped instanceof NotSent)) {
    return [`the SDK refuses: ${stopped instanceof Error ? stopped.message : String(stopped)}`];
  }
  const known = fieldsOf(JSON.parse(new TextDecoder().decode(stopped.body)))["messages"];
  return isDeepStrictEqual(known, sent(mapped(messages, toBase64))) ? [] : ["the SDK does not send all that is in the messages"];
}

/** Thrown instead of sending a request, with its body. */
class NotSent extends Error {
  constructor(readonly body: Uint8Array) {
    super("not sent");
  }
}

// Without it the SDK prints warnings about versions of Node that it will stop supporting.
process.env["AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED"] = "true";

const client = new BedrockRuntimeClient({
  region: "none",
  credentials: { accessKeyId: "none", secretAccessKey: "none" },
  maxAttempts: 1,
  requestHandler: {
    async handle({ body }: { readonly body?: Uint8Array }): Promise<never> {
      throw new NotSent(body ?? new Uint8Array());
    },
  },
});

/** Where the SDK takes bytes and sends base64. */
const BINARY = new Set(["bytes", "redactedContent"]);

/** A copy in which every binary value is converted by `bytes`. */
function mapped(value: unknown, bytes: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => mapped(item, bytes));
  }
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, BINARY.has(key) ? bytes(inner) : mapped(inner, bytes)]),
  );
}

const fromBase64 = (value: unknown) => (typeof value === "string" ? Uint8Array.from(Buffer.from(value, "base64")) : value);
const toBase64 = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value);
