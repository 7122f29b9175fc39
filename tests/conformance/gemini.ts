// What Gemini's generateContent refuses: what `@google/genai` would not send, and known causes of a 400.

import { isDeepStrictEqual } from "node:util";
import { type Content, GoogleGenAI, type Part } from "@google/genai";
import { filled, object, type Rule, text } from "./shapes.js";
import { type CheckOptions, type Fields, fieldsOf, halves, listOf, sent } from "./check.js";

/** The rule for each field that makes a part, and the fields that only accompany one. */
const PARTS: { readonly [F in keyof Part]-?: Rule | "additional" } = {
  text,
  inlineData: (blob) => filled(fieldsOf(blob)["mimeType"]) && filled(fieldsOf(blob)["data"]),
  fileData: (file) => filled(fieldsOf(file)["fileUri"]),
  functionCall: (call) =>
    filled(fieldsOf(call)["name"]) && (fieldsOf(call)["args"] === undefined || object(fieldsOf(call)["args"])),
  functionResponse: (response) => filled(fieldsOf(response)["name"]) && object(fieldsOf(response)["response"]),
  executableCode: object,
  codeExecutionResult: object,
  toolCall: object,
  toolResponse: object,
  audioTranscription: object,
  thought: "additional",
  thoughtSignature: "additional",
  mediaResolution: "additional",
  mediaProcessing: "additional",
  videoMetadata: "additional",
  partMetadata: "additional",
  speechMetadata: "additional",
};

export async function check(messages: readonly unknown[], { history, strict = false }: CheckOptions = {}): Promise<string[]> {
  const contents = messages.map(fieldsOf);
  const reasons = [...contents.flatMap(alone), ...pairing(strict ? contents : merged(contents)), ...halves(messages)];
  if (contents.length === 0) {
    reasons.push("there are no messages");
  } else if (contents[0]?.["role"] !== "user") {
    reasons.push("contents[0] is first and not from the user");
  }
  if (reasons.length === 0) {
    reasons.push(...(await unsent(messages as Content[])));
  }
  return history === undefined ? reasons : [...reasons, ...signatures(contents, history.map(fieldsOf))];
}

const partsOf = (content: Fields | undefined) => listOf(content?.["parts"]).map(fieldsOf);

function alone(content: Fields, index: number): string[] {
  const parts = partsOf(content);
  const where = `contents[${index}]`;
  const reasons =
    content["role"] === "user" || content["role"] === "model" ? [] : [`${where}.role is ${String(content["role"])}`];
  if (parts.length === 0) {
    reasons.push(`${where} has no parts`);
  }
  return [...reasons, ...parts.flatMap((part, at) => onePart(part, `${where}.parts[${at}]`))];
}

function onePart(part: Fields, where: string): string[] {
  const about = Object.entries(PARTS).flatMap(([field, rule]) =>
    rule !== "additional" && part[field] !== undefined ? [{ field, rule }] : [],
  );
  const [only] = about;
  if (only === undefined || about.length > 1) {
    return [`${where} is about ${about.length} things and not about one`];
  }
  return only.rule(part[only.field]) ? [] : [`${where}.${only.field} is invalid`];
}

/** The API joins neighbours of the same role; not every server of this format does. */
function merged(contents: readonly Fields[]): Fields[] {
  const result: Fields[] = [];
  for (const content of contents) {
    const before = result.at(-1);
    if (before !== undefined && before["role"] === content["role"]) {
      result.splice(-1, 1, { ...before, parts: [...partsOf(before), ...partsOf(content)] });
    } else {
      result.push(content);
    }
  }
  return result;
}

/** Responses come directly after the turn with the calls, as many as there are calls, by id or by name and order. Turns
 * are numbered as the API counts them. */
function pairing(contents: readonly Fields[]): string[] {
  const reasons: string[] = [];
  for (const index of Array(contents.length + 1).keys()) {
    const calls = partsOf(contents[index - 1]).flatMap(({ functionCall }) =>
      functionCall === undefined ? [] : [fieldsOf(functionCall)],
    );
    const responses = partsOf(contents[index]).flatMap(({ functionResponse }) =>
      functionResponse === undefined ? [] : [fieldsOf(functionResponse)],
    );
    if (calls.length !== responses.length) {
      reasons.push(`turn ${index} has ${responses.length} responses to ${calls.length} calls`);
    } else if (!calls.every((call, at) => answered(call, responses, at))) {
      reasons.push(`turn ${index} answers other calls than were made`);
    }
    const before = contents[index - 1];
    const calling = partsOf(contents[index]).some(({ functionCall }) => functionCall !== undefined);
    if (calling && before?.["role"] !== "user") {
      reasons.push(`turn ${index} calls and comes behind no user`);
    }
    if (calling && contents[index]?.["role"] !== "model") {
      reasons.push(`turn ${index} calls and is no model`);
    }
    if (responses.length > 0 && contents[index]?.["role"] !== "user") {
      reasons.push(`turn ${index} answers calls and is no user`);
    }
  }
  return reasons;
}

function answered(call: Fields, responses: readonly Fields[], at: number): boolean {
  const { id, name } = call;
  const response = id === undefined || id === null ? responses[at] : responses.find((response) => response["id"] === id);
  return response?.["name"] === name;
}

/** The SDK drops fields that it does not know, and leaves incomplete contents out of a chat's history. */
async function unsent(contents: Content[]): Promise<string[]> {
  let body: unknown;
  const fetch = async (_: unknown, init?: RequestInit) => {
    body = init?.body;
    return new Response('{"candidates":[]}', { headers: { "content-type": "application/json" } });
  };
  const client = new GoogleGenAI({ apiKey: "none", httpOptions: { fetch } });
  try {
    const whole = client.chats.create({ model: "none", history: contents }).getHistory(true);
    await client.models.generateContent({ model: "none", contents });
    const known = isDeepStrictEqual(fieldsOf(JSON.parse(String(body)))["contents"], sent(contents));
    return [
      ...(whole.length === contents.length ? [] : ["the SDK's chat leaves contents out"]),
      ...(known ? [] : ["the SDK does not send all that is in the contents"]),
    ];
  } catch (error) {
    return [`the SDK refuses: ${error instanceof Error ? error.message : String(error)}`];
  }
}

/** In the unfinished turn, calls keep their signatures; a signature is never on another part. */
function signatures(contents: readonly Fields[], history: readonly Fields[]): string[] {
  const parts = history.flatMap(partsOf);
  const signed = new Set(
    parts.filter(({ thoughtSignature }) => thoughtSignature !== undefined).map((part) => JSON.stringify(part)),
  );
  const moved = contents.flatMap((content, index) =>
    partsOf(content).every((part) => part["thoughtSignature"] === undefined || signed.has(JSON.stringify(part)))
      ? []
      : [`contents[${index}] has a signature on a part that it was not made for`],
  );
  const signedCalls = parts.filter(
    ({ functionCall, thoughtSignature }) => functionCall !== undefined && thoughtSignature !== undefined,
  );
  const wanted = new Set(signedCalls.map(({ functionCall }) => JSON.stringify(functionCall)));
  const asked = contents.findLastIndex(
    (content) => content["role"] === "user" && partsOf(content).some(({ text }) => text !== undefined),
  );
  const lost = contents.slice(asked + 1).flatMap((content, index) => {
    const bare = partsOf(content).some(
      (part) => part["thoughtSignature"] === undefined && wanted.has(JSON.stringify(part["functionCall"])),
    );
    return bare ? [`contents[${asked + 1 + index}] has lost its call's signature in the turn that goes on`] : [];
  });
  return [...moved, ...lost];
}
