// What Anthropic's Messages API refuses: by the types of `@anthropic-ai/sdk`, and known causes of a 400.

import { isDeepStrictEqual } from "node:util";
import type Anthropic from "@anthropic-ai/sdk";
import { either, filled, list, misshapen, object, present, type Rule, type Shapes, text } from "./shapes.js";
import { type CheckOptions, type Fields, fieldsOf, halves, listOf, sent } from "./check.js";

type Block = Anthropic.Beta.BetaContentBlockParam;
type Role = Anthropic.Beta.BetaMessageParam["role"];

const id: Rule = (value) => typeof value === "string" && /^[\w-]+$/.test(value);
const result = { tool_use_id: id, content: present };
const use = { id, name: filled, input: object };

const BLOCKS: Shapes<Block> = {
  text: { text: filled },
  image: { source: object },
  document: { source: object },
  search_result: { content: list, source: text, title: text },
  thinking: { thinking: text, signature: filled },
  redacted_thinking: { data: filled },
  tool_use: { ...use, name: (name) => typeof name === "string" && /^[\w-]{1,128}$/.test(name) },
  tool_result: { tool_use_id: id },
  server_tool_use: use,
  web_search_tool_result: result,
  web_fetch_tool_result: result,
  advisor_tool_result: result,
  code_execution_tool_result: result,
  bash_code_execution_tool_result: result,
  text_editor_code_execution_tool_result: result,
  tool_search_tool_result: result,
  mcp_tool_use: { ...use, server_name: text },
  mcp_tool_result: { tool_use_id: id },
  container_upload: { file_id: filled },
  compaction: {},
  tool_addition: { tool: object },
  tool_removal: { tool: object },
  mcp_tool_listing: { mcp_server_name: text, tools: list },
  fallback: { from: object, to: object },
};

const ASSISTANTS_OWN = new Set(["thinking", "redacted_thinking", "tool_use", "server_tool_use", "mcp_tool_use"]);
const USERS_OWN = new Set(["tool_result", "image", "document", "search_result"]);
const NOT_THEIRS: { readonly [R in Role]: ReadonlySet<string> } = {
  user: ASSISTANTS_OWN,
  assistant: USERS_OWN,
  system: new Set([...ASSISTANTS_OWN, ...USERS_OWN]),
};

interface Turn {
  readonly where: string;
  readonly role: Role;
  readonly blocks: readonly Fields[];
}

export async function check(messages: readonly unknown[], { history, strict = false }: CheckOptions = {}): Promise<string[]> {
  const turns = messages.map(turn);
  const said = turns.filter(({ role }) => role !== "system");
  const reasons = [...turns.flatMap(alone), ...pairing(strict ? turns : merged(turns)), ...servers(turns), ...halves(messages)];
  if (said.length === 0) {
    reasons.push("there are no messages");
  } else if (said[0]?.role !== "user" && said[0]?.blocks[0]?.["type"] !== "compaction") {
    reasons.push(`${said[0]?.where} is first and not from the user`);
  }
  return history === undefined ? reasons : [...reasons, ...thinking(turns, history.map(turn))];
}

/** Content that is a string is short for one text block. */
function turn(message: unknown, index: number): Turn {
  const { role, content } = fieldsOf(message);
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : listOf(content).map(fieldsOf);
  return { where: `messages[${index}]`, role: role as Role, blocks };
}

/** The API joins neighbours of the same role; not every server of this format does. */
function merged(turns: readonly Turn[]): Turn[] {
  const result: Turn[] = [];
  for (const turn of turns) {
    const before = result.at(-1);
    if (before !== undefined && before.role === turn.role) {
      result.splice(-1, 1, { ...before, blocks: [...before.blocks, ...turn.blocks] });
    } else {
      result.push(turn);
    }
  }
  return result;
}

function alone({ where, role, blocks }: Turn): string[] {
  if (!Object.hasOwn(NOT_THEIRS, role)) {
    return [`${where}.role is ${role}`];
  }
  const reasons = blocks.flatMap((block, at) => [
    ...misshapen(block, BLOCKS, `${where}.content[${at}]`),
    ...(NOT_THEIRS[role].has(String(block["type"])) ? [`${where}.content[${at}] may not come from the ${role}`] : []),
    ...inside(block, `${where}.content[${at}]`),
  ]);
  if (blocks.length === 0) {
    reasons.push(`${where} has no content`);
  }
  const last = blocks.at(-1)?.["type"];
  if (last === "thinking" || last === "redacted_thinking") {
    reasons.push(`${where} ends with thinking`);
  }
  return reasons;
}

function inside(block: Fields, where: string): string[] {
  const { content } = block;
  switch (block["type"]) {
    case "tool_result": {
      const parts = listOf(content).map(fieldsOf);
      const blank = parts.some((part) => part["type"] === "text" && !filled(part["text"]));
      const known = either(text, list, (absent) => absent === undefined)(content);
      return [
        ...(blank ? [`${where} has a blank text in it`] : []),
        ...(known ? [] : [`${where}.content is neither text nor a list`]),
      ];
    }
    case "compaction":
      return content === null || filled(content) || filled(block["encrypted_content"]) ? [] : [`${where} is an empty compaction`];
    default:
      return [];
  }
}

/** Results are first in the next turn, one for each call. An id may be used again in a later turn. */
function pairing(turns: readonly Turn[]): string[] {
  const reasons: string[] = [];
  let open = new Set<unknown>();
  for (const { where, blocks } of turns) {
    const leading = blocks.findIndex(({ type }) => type !== "tool_result");
    for (const [at, block] of blocks.entries()) {
      if (block["type"] !== "tool_result") {
        continue;
      }
      if (leading >= 0 && at > leading) {
        reasons.push(`${where}.content[${at}] is a result that does not stand first`);
      }
      if (!open.delete(block["tool_use_id"])) {
        reasons.push(`${where}.content[${at}] answers ${String(block["tool_use_id"])}, which the message before does not call`);
      }
    }
    reasons.push(...[...open].map((call) => `${where} has no result of the call ${String(call)}`));
    const calls = blocks.filter(({ type }) => type === "tool_use").map((block) => block["id"]);
    open = new Set(calls);
    if (open.size < calls.length) {
      reasons.push(`${where} calls twice under one id`);
    }
  }
  return [...reasons, ...[...open].map((call) => `nothing answers the call ${String(call)}`)];
}

/** A result of the server's own tools comes after its call. A compaction is the first block. */
function servers(turns: readonly Turn[]): string[] {
  const reasons: string[] = [];
  const calls = new Set<unknown>();
  for (const { where, blocks } of turns) {
    for (const [at, block] of blocks.entries()) {
      const type = String(block["type"]);
      if (type === "server_tool_use" || type === "mcp_tool_use") {
        calls.add(block["id"]);
      } else if (type.endsWith("_tool_result") && !calls.has(block["tool_use_id"])) {
        reasons.push(`${where}.content[${at}] answers ${String(block["tool_use_id"])}, which was not called before`);
      } else if (type === "compaction" && at > 0) {
        reasons.push(`${where}.content[${at}] is a compaction that does not stand first`);
      }
    }
  }
  return reasons;
}

const isThinking = ({ type }: Fields) => type === "thinking" || type === "redacted_thinking";

/** Thinking blocks are unchanged and all of a turn's are kept or none; in an unfinished tool loop they are kept. */
function thinking(turns: readonly Turn[], history: readonly Turn[]): string[] {
  const signed = history.map(({ blocks }) => blocks.filter(isThinking).map(sent)).filter(({ length }) => length > 0);
  const reasons = turns.flatMap(({ where, blocks }) => {
    const kept = blocks.filter(isThinking).map(sent);
    return kept.length === 0 || signed.some((whole) => isDeepStrictEqual(whole, kept))
      ? []
      : [`${where} has thinking that is not as it was signed`];
  });
  const [loop, before] = [turns.at(-2), history.at(-2)];
  const goesOn = turns.at(-1)?.blocks.some(({ type }) => type === "tool_result") ?? false;
  if (goesOn && loop && before && !isDeepStrictEqual(loop.blocks.filter(isThinking), before.blocks.filter(isThinking))) {
    reasons.push(`${loop.where} has lost reasoning of the unfinished tool loop`);
  }
  return reasons;
}
