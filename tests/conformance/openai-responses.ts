// What OpenAI's Responses API refuses as input: by the types of `openai`, and known causes of a 400.

import type OpenAI from "openai";
import {
  either,
  filled,
  type Kind,
  list,
  type Member,
  misshapen,
  object,
  oneOf,
  present,
  type Rule,
  type Rules,
  type Shapes,
  text,
} from "./shapes.js";
import { type CheckOptions, type Fields, fieldsOf, halves } from "./check.js";

type Item = OpenAI.Responses.ResponseInputItem;
type Items = { readonly [K in Exclude<Kind<Item>, "message">]: Rules<Member<Item, K>> };

const call = { call_id: filled };
const nullable = (rule: Rule): Rule => either(rule, (value) => value === null);
const output = either(text, list);

const ITEMS: Items = {
  file_search_call: { id: filled, queries: list, status: text },
  computer_call: { ...call, id: filled, pending_safety_checks: list, status: text },
  computer_call_output: { ...call, output: object },
  web_search_call: { id: filled, action: object, status: text },
  function_call: { ...call, name: (name) => typeof name === "string" && /^[\w-]{1,128}$/.test(name), arguments: text },
  function_call_output: { output },
  tool_search_call: { arguments: present },
  tool_search_output: { tools: list },
  additional_tools: { role: text, tools: list },
  configuration_update: {},
  reasoning: { id: filled, summary: list },
  compaction: { encrypted_content: filled },
  image_generation_call: { id: filled, result: nullable(text), status: text },
  code_interpreter_call: { id: filled, code: nullable(text), container_id: text, outputs: nullable(list), status: text },
  local_shell_call: { ...call, id: filled, action: object, status: text },
  local_shell_call_output: { id: filled, output: text },
  shell_call: { ...call, action: object },
  shell_call_output: { ...call, output: list },
  apply_patch_call: { ...call, operation: object, status: text },
  apply_patch_call_output: { ...call, status: text },
  mcp_list_tools: { id: filled, server_label: text, tools: list },
  mcp_approval_request: { id: filled, arguments: text, name: filled, server_label: text },
  mcp_approval_response: { approval_request_id: filled, approve: oneOf(true, false) },
  mcp_call: { id: filled, arguments: text, name: filled, server_label: text },
  custom_tool_call: { ...call, name: filled, input: text },
  custom_tool_call_output: { ...call, output },
  compaction_trigger: {},
  item_reference: { id: filled },
  program: { ...call, code: text, id: filled, fingerprint: text },
  program_output: { ...call, id: filled, result: present, status: text },
};

const INPUT: Shapes<OpenAI.Responses.ResponseInputContent> = {
  input_text: { text },
  input_image: { detail: text },
  input_file: {},
};

const OUTPUT: Shapes<OpenAI.Responses.ResponseOutputText | OpenAI.Responses.ResponseOutputRefusal> = {
  output_text: { text, annotations: list },
  refusal: { refusal: text },
};

const ROLES: Readonly<
  Record<OpenAI.Responses.EasyInputMessage["role"], Readonly<Record<string, Readonly<Record<string, Rule>>>>>
> = {
  user: INPUT,
  system: INPUT,
  developer: INPUT,
  assistant: OUTPUT,
};

/** The kinds of output items for each kind of call. */
const ANSWERS: { readonly [K in Kind<Item>]?: readonly Kind<Item>[] } = {
  function_call: ["function_call_output"],
  custom_tool_call: ["custom_tool_call_output"],
  computer_call: ["computer_call_output"],
  shell_call: ["shell_call_output"],
  apply_patch_call: ["apply_patch_call_output"],
  tool_search_call: ["tool_search_output", "function_call_output"],
};
const OUTPUTS = new Set<string>(Object.values(ANSWERS).flat());

/** The prefix of ids by kind. */
const PREFIXES: { readonly [K in Kind<Item>]?: string } = { reasoning: "rs_", function_call: "fc_", custom_tool_call: "ctc_" };

/** Items that come from the model, and so may follow its reasoning. */
const INTO = new Set<string>(
  Object.keys(ITEMS).filter(
    (kind) => kind.endsWith("_call") || kind === "mcp_list_tools" || kind === "mcp_approval_request" || kind === "program",
  ),
);

export async function check(messages: readonly unknown[], { history }: CheckOptions = {}): Promise<string[]> {
  const items = messages.map(fieldsOf);
  const reasons = [...items.flatMap(alone), ...pairing(items), ...reasoning(items), ...ids(items), ...halves(messages)];
  if (!items.some((item) => item["role"] !== "system" && item["role"] !== "developer")) {
    reasons.push("there are only system messages");
  }
  return history === undefined ? reasons : [...reasons, ...widowed(items, history.map(fieldsOf))];
}

function kindOf(item: Fields): string {
  const { type } = item;
  if (type === undefined || type === null) {
    return "role" in item ? "message" : "item_reference";
  }
  return String(type);
}

function alone(item: Fields, index: number): string[] {
  const where = `input[${index}]`;
  if (kindOf(item) !== "message") {
    return misshapen({ ...item, type: kindOf(item) }, ITEMS, where);
  }
  const { content } = item;
  const parts = ROLES[item["role"] as keyof typeof ROLES];
  if (parts === undefined) {
    return [`${where}.role is ${String(item["role"])}`];
  }
  if (typeof content === "string") {
    return [];
  }
  if (!Array.isArray(content)) {
    return [`${where}.content is neither text nor a list`];
  }
  return content.flatMap((part, at) => misshapen(fieldsOf(part), parts, `${where}.content[${at}]`));
}

/** Every call has one output after it, of its kind; after that its id may be used again. Searches by the server itself need
 * no output. */
function pairing(items: readonly Fields[]): string[] {
  const reasons: string[] = [];
  const open = new Map<unknown, { readonly index: number; readonly kinds: readonly string[] }>();
  for (const [index, item] of items.entries()) {
    const [kind, id] = [kindOf(item), item["call_id"]];
    const kinds = ANSWERS[kind as Kind<Item>];
    if (id === undefined || id === null || item["execution"] === "server") {
      continue;
    }
    if (kinds !== undefined) {
      reasons.push(...(open.has(id) ? [`input[${index}] calls under ${String(id)}, which is still open`] : []));
      open.set(id, { index, kinds });
    } else if (OUTPUTS.has(kind)) {
      reasons.push(
        ...(open.get(id)?.kinds.includes(kind) === true
          ? []
          : [`input[${index}] answers ${String(id)}, which nothing before it calls`]),
      );
      open.delete(id);
    }
  }
  return [...reasons, ...[...open.values()].map(({ index }) => `input[${index}] calls and has no output`)];
}

/** Reasoning is followed by another item from the model; a compaction trigger comes last. */
function reasoning(items: readonly Fields[]): string[] {
  return items.flatMap((item, index) => {
    const kind = kindOf(item);
    if (kind === "compaction_trigger" && index < items.length - 1) {
      return [`input[${index}] is a trigger that does not come last`];
    }
    if (kind !== "reasoning") {
      return [];
    }
    const next = items.slice(index + 1).find((later) => kindOf(later) !== "reasoning");
    const follows =
      next !== undefined && (INTO.has(kindOf(next)) || (kindOf(next) === "message" && next["role"] === "assistant"));
    return follows ? [] : [`input[${index}] is reasoning without the item that it led to`];
  });
}

/** No id is used twice, and each has the prefix of its kind. */
function ids(items: readonly Fields[]): string[] {
  const seen = new Set<unknown>();
  return items.flatMap((item, index) => {
    const { id } = item;
    const kind = kindOf(item);
    if (id === undefined || id === null) {
      return [];
    }
    const prefix = PREFIXES[kind as Kind<Item>];
    const reasons =
      prefix !== undefined && !String(id).startsWith(prefix) ? [`input[${index}].id does not begin with ${prefix}`] : [];
    reasons.push(...(seen.has(id) ? [`input[${index}].id is used twice: ${String(id)}`] : []));
    seen.add(id);
    return reasons;
  });
}

/** An item that follows reasoning keeps that reasoning, or loses the id that links it to the reasoning. */
function widowed(items: readonly Fields[], history: readonly Fields[]): string[] {
  const upon = new Map<unknown, unknown>();
  for (const [index, item] of history.entries()) {
    const before = history[index - 1];
    if (before !== undefined && kindOf(before) === "reasoning" && kindOf(item) !== "reasoning") {
      upon.set(item["id"], before["id"]);
    }
  }
  return items.flatMap((item, index) => {
    const wanted = item["id"] === undefined ? undefined : upon.get(item["id"]);
    const before = items[index - 1];
    return wanted === undefined || before?.["id"] === wanted ? [] : [`input[${index}] has lost its reasoning ${String(wanted)}`];
  });
}
