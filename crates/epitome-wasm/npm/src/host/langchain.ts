// Instances of LangChain's classes, for messages that the engine has composed in the serialized form of them.

/** A message in the form that LangChain's own `toJSON` gives it. */
interface Serialized {
  readonly lc: number;
  readonly type: "constructor";
  readonly id: readonly string[];
  readonly kwargs: object;
}

type Class = new (fields: object) => object;

/** The classes of an app's messages, by their names. The package cannot import them, and each copy of LangChain has its own. */
export class Classes {
  readonly #found = new Map<string, Class | undefined>();

  /**
   * The message as an instance of the class that it names, if one of the app's messages is an instance of that class;
   * otherwise the message itself. The app's messages are searched once for each name.
   */
  instanceOf<M extends object>(composed: M, messages: () => Iterable<object | undefined>): M {
    const name = isSerialized(composed) ? composed.id.at(-1) : undefined;
    if (!isSerialized(composed) || name === undefined) {
      return composed;
    }
    if (!this.#found.has(name)) {
      this.#found.set(name, classOf(name, messages()));
    }
    const known = this.#found.get(name);
    return known === undefined ? composed : made(known, composed);
  }

  /** To be called when the app has other messages. */
  clear(): void {
    // This is called for every message, and to clear an empty map takes as long as to add a message.
    if (this.#found.size > 0) {
      this.#found.clear();
    }
  }
}

function classOf(name: string, messages: Iterable<object | undefined>): Class | undefined {
  for (const message of messages) {
    if (message !== undefined && nameOf(message) === name) {
      return message.constructor as Class;
    }
  }
  return undefined;
}

function isSerialized(message: object): message is Serialized {
  return Reflect.get(message, "type") === "constructor" && Reflect.get(message, "lc") === 1;
}

/** The name that LangChain gives to the class of an instance; undefined for any other object. */
function nameOf(message: object): unknown {
  try {
    const id: unknown = typeof Reflect.get(message, "getType") === "function" ? Reflect.get(message, "lc_id") : undefined;
    return Array.isArray(id) ? id.at(-1) : undefined;
  } catch {
    // A getter or a proxy that throws is not an instance of LangChain.
    return undefined;
  }
}

/** A new instance, or the serialized form if the app's class does not take it. */
function made<M extends object>(known: Class, composed: M & Serialized): M {
  try {
    return new known(composed.kwargs) as M;
  } catch {
    return composed;
  }
}
