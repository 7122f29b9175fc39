// Whether two messages of an app are the same: the same object, of the same id, or of the same content.

/** Values that are nested deeper are not compared. */
const DEEPEST = 64;

/** The id that the app itself gave to a message, as those of the AI SDK's page, of LangChain and of Responses have; undefined
 * if it has none. */
export function ownId(message: object): string | undefined {
  try {
    const id: unknown = Reflect.get(message, "id");
    return typeof id === "string" && id !== "" ? id : undefined;
  } catch {
    // A getter or a proxy that throws: the message is compared by its content, and then the error says which one it is.
    return undefined;
  }
}

/** True if two values have the same content. A field that is undefined is the same as none. Linear in the smaller one. */
export function isEqual(one: unknown, other: unknown, depth = 0): boolean {
  if (Object.is(one, other)) {
    return true;
  }
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null || depth > DEEPEST) {
    return false;
  }
  if (Object.getPrototypeOf(one) !== Object.getPrototypeOf(other)) {
    return false;
  }
  if (ArrayBuffer.isView(one) && ArrayBuffer.isView(other)) {
    return isEqualBytes(bytesOf(one), bytesOf(other));
  }
  if (one instanceof Date || one instanceof URL) {
    return String(one) === String(other);
  }
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((value, index) => isEqual(value, other[index], depth + 1));
  }
  return hasEqualFields(one as Fields, other as Fields, depth + 1);
}

/**
 * True if a message is what the engine has composed, as an app may store it: as an object of a class that becomes that JSON,
 * or with fields of its own besides, such as an id.
 */
export function isStored(composed: object, message: object): boolean {
  const toJSON: unknown = Reflect.get(message, "toJSON");
  return contains(typeof toJSON === "function" ? toJSON.call(message) : message, composed, 0);
}

/** True if a value has everything that another one has. Linear in the other one. */
function contains(value: unknown, part: unknown, depth: number): boolean {
  if (typeof value !== "object" || typeof part !== "object" || value === null || part === null || depth > DEEPEST) {
    return isEqual(value, part);
  }
  if (Array.isArray(value) !== Array.isArray(part) || (Array.isArray(part) && part.length !== (value as unknown[]).length)) {
    return false;
  }
  return Object.entries(part).every(
    ([key, wanted]) => wanted === undefined || contains(Reflect.get(value, key), wanted, depth + 1),
  );
}

type Fields = Readonly<Record<string, unknown>>;

function hasEqualFields(one: Fields, other: Fields, depth: number): boolean {
  let fields = 0;
  for (const key in one) {
    const value = one[key];
    if (value !== undefined) {
      fields += 1;
      if (!isEqual(value, other[key], depth)) {
        return false;
      }
    }
  }
  for (const key in other) {
    fields -= other[key] === undefined ? 0 : 1;
  }
  return fields === 0;
}

function bytesOf(view: ArrayBufferView): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

function isEqualBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
