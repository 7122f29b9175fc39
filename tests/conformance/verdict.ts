// What every check has in common: it reads messages and says why they would be refused.

/** What a check may know besides the messages. */
export interface Circumstances {
  /** The history that the messages are a view of: what was signed or numbered there has to be so here. */
  readonly history?: readonly unknown[];
  /** Whether to say too what only other servers of the same format refuse. */
  readonly strict?: boolean;
}

/** Says why a provider, or its SDK, would refuse these messages; nothing where it takes them. */
export type Check = (messages: readonly unknown[], circumstances?: Circumstances) => Promise<string[]>;

/** A format's own example, and what is to be refused in it. */
export interface Examples<M> {
  /** A conversation of so many turns that the provider takes. */
  readonly tidy: (turns: number) => M[];
  /** What each of these shows, and messages that show it. */
  readonly broken: Readonly<Record<string, readonly unknown[]>>;
}

export type Fields = Readonly<Record<string, unknown>>;

/** The value as an object; one without fields where it is none. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

/** The value as a list; an empty one where it is none. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value as JSON has it, and so as it is sent. */
export function sent(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** Says where half of a character stands: strict parsers refuse the request for it. */
export function halves(messages: readonly unknown[]): string[] {
  return messages.flatMap((message, index) =>
    /\\ud[89a-f]/.test(JSON.stringify(message) ?? "") && holdsHalf(message)
      ? [`message ${index} has half a character in it`]
      : [],
  );
}

function holdsHalf(value: unknown): boolean {
  if (typeof value === "string") {
    return !value.isWellFormed();
  }
  return typeof value === "object" && value !== null && Object.values(value).some(holdsHalf);
}
