// Errors between two threads: what a structured clone of them would lose is kept.

import { messageOf, property } from "../error.js";
import { plain } from "./plain.js";

/** What was thrown, as it is sent. */
export type Failure =
  | { readonly kind: "value"; readonly value: unknown }
  | {
      readonly kind: "error";
      readonly message: string;
      readonly stack: string | undefined;
      readonly cause: Failure | undefined;
      /** Its name, its code and whatever else it says of itself. */
      readonly fields: object;
    };

/** Causes of causes that are sent. They may go in a circle. */
const MOST_CAUSES = 5;

/** The levels of an error's fields that are sent: those of SDKs lead to whole requests. */
const DEPTH = 6;

/** What was thrown, which may be anything. */
export function failureOf(thrown: unknown, causes = MOST_CAUSES): Failure {
  const text = property(thrown, "message");
  if (typeof text !== "string") {
    return { kind: "value", value: readable(thrown) };
  }
  const [stack, cause] = [property(thrown, "stack"), property(thrown, "cause")];
  return {
    kind: "error",
    message: text,
    stack: typeof stack === "string" ? stack : undefined,
    cause: cause === undefined || causes === 0 ? undefined : failureOf(cause, causes - 1),
    // The name and the status of many errors are those of their class.
    fields: { ...inherited(thrown), ...(readable(thrown) as object) },
  };
}

/** The error in this thread. */
export function errorFrom(failure: Failure): unknown {
  if (failure.kind === "value") {
    return failure.value;
  }
  const { message, stack, cause, fields } = failure;
  const error = new Error(message, cause === undefined ? {} : { cause: errorFrom(cause) });
  return Object.assign(error, fields, stack === undefined ? {} : { stack });
}

function inherited(thrown: unknown): object {
  const found = ["name", "code", "status"].map((name) => [name, property(thrown, name)] as const);
  return Object.fromEntries(found.filter(([, value]) => typeof value === "string" || typeof value === "number"));
}

function readable(thrown: unknown): unknown {
  try {
    return plain(thrown, DEPTH);
  } catch {
    return messageOf(thrown, "it throws when it is read");
  }
}
