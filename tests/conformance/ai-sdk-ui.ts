// What the AI SDK refuses in UIMessages when a chat converts them for the model.

import { convertToModelMessages, safeValidateUIMessages } from "ai";
import { check as checkModel } from "./ai-sdk-model.js";
import { type CheckOptions, type Fields, fieldsOf, listOf } from "./check.js";

export async function check(messages: readonly unknown[], { strict = false }: CheckOptions = {}): Promise<string[]> {
  const validated = await safeValidateUIMessages({ messages: [...messages] });
  if (!validated.success) {
    // The error repeats all of the messages before it says what is wrong.
    return [`the AI SDK refuses: ${validated.error.message.split("Error message:").at(-1)?.trim()}`];
  }
  const ids = messages.map((message) => fieldsOf(message)["id"]);
  const reasons = ids.flatMap((id, index) =>
    ids.indexOf(id) < index ? [`messages[${index}].id is used twice: ${String(id)}`] : [],
  );
  if (strict) {
    reasons.push(...messages.map(fieldsOf).flatMap(unfinished));
  }
  try {
    return [...reasons, ...(await checkModel(await convertToModelMessages(validated.data)))];
  } catch (error) {
    return [...reasons, `the AI SDK does not convert them: ${error instanceof Error ? error.message : String(error)}`];
  }
}

/** What this version of the SDK leaves out when it converts messages, and other versions pass on. */
function unfinished(message: Fields, index: number): string[] {
  const parts = listOf(message["parts"]).map(fieldsOf);
  return [
    ...(parts.every(({ type }) => type === "step-start") ? [`messages[${index}] says nothing`] : []),
    ...(parts.some(({ state }) => state === "input-streaming") ? [`messages[${index}] has a call that was never made`] : []),
  ];
}
