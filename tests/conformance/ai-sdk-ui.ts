// What the AI SDK refuses in UIMessages, on the way to the model that every chat takes.

import { convertToModelMessages, safeValidateUIMessages } from "ai";
import { check as checkModel } from "./ai-sdk-model.js";
import { type Circumstances, type Fields, fieldsOf, listOf } from "./verdict.js";

export async function check(messages: readonly unknown[], { strict = false }: Circumstances = {}): Promise<string[]> {
  const validated = await safeValidateUIMessages({ messages: [...messages] });
  if (!validated.success) {
    // The message repeats all of the messages before it says what is wrong.
    return [`the AI SDK refuses: ${validated.error.message.split("Error message:").at(-1)?.trim()}`];
  }
  const ids = messages.map((message) => fieldsOf(message)["id"]);
  const reasons = ids.flatMap((id, index) =>
    ids.indexOf(id) < index ? [`messages[${index}].id is there twice: ${String(id)}`] : [],
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

/** What this version of the SDK leaves out on the way, and others sent on. */
function unfinished(message: Fields, index: number): string[] {
  const parts = listOf(message["parts"]).map(fieldsOf);
  return [
    ...(parts.every(({ type }) => type === "step-start") ? [`messages[${index}] says nothing`] : []),
    ...(parts.some(({ state }) => state === "input-streaming") ? [`messages[${index}] has a call that was never made`] : []),
  ];
}
