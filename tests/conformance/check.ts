// The type of a check, which reads messages and says why they would be refused, and what all checks share.

/** Optional settings of a check. */
export interface CheckOptions {
  /** The history that the messages are a view of: signed or numbered content has to be the same as there. */
  readonly history?: readonly unknown[];
  /** Whether to include what only other servers of the same format refuse. */
  readonly strict?: boolean;
}

/** Returns why a provider, or its SDK, would refuse these messages; an empty list if it accepts them. */
export type Check = (messages: readonly unknown[], options?: CheckOptions) => Promise<string[]>;

/** A format's example, and broken variants of it. */
export interface Examples<M> {
  /** A conversation of this many turns that the provider accepts. */
  readonly valid: (turns: number) => M[];
  /** Messages that the check must refuse, by their defect. */
  readonly broken: Readonly<Record<string, readonly unknown[]>>;
}

export type Fields = Readonly<Record<string, unknown>>;

/** The value as an object; an empty one if it is not an object. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

/** The value as a list; an empty one if it is not a list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value as it is after a way through JSON, which is how it is sent. */
export function sent(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** Names the messages with half a surrogate pair: strict JSON parsers refuse the request. */
export function halves(messages: readonly unknown[]): string[] {
  return messages.flatMap((message, index) =>
    /\\ud[89a-f]/.test(JSON.stringify(message) ?? "") && holdsHalf(message)
      ? [`message ${index} has half a surrogate pair in it`]
      : [],
  );
}

function holdsHalf(value: unknown): boolean {
  if (typeof value === "string") {
    return !value.isWellFormed();
  }
  return typeof value === "object" && value !== null && Object.values(value).some(holdsHalf);
}
