// How texts get into the engine's memory one by one: encoded in one go, as `room.ts` does with those that come often.
//
// What wasm-bindgen writes for that looks at one character after the other, which takes thirty times as long for a text
// of 4 kB in ASCII.

/** The glue with our way of passing a text in place of its own. */
export function encodingAtOnce(glue) {
  const own = /^function passStringToWasm0\(arg, malloc, realloc\) \{\n.*?^\}\n/ms;
  if (!own.test(glue)) {
    throw new Error("the glue passes texts in a way that this script does not know");
  }
  return glue.replace(own, () => `${passStringToWasm0}\n`);
}

/* global cachedTextEncoder, getUint8ArrayMemory0, WASM_VECTOR_LEN:writable -- the glue has these, and this goes there */

/**
 * Puts a text where `malloc` has room, and tells where that is: WASM_VECTOR_LEN bytes, and no more are allocated. Half a
 * surrogate pair becomes U+FFFD.
 */
function passStringToWasm0(text, malloc, realloc) {
  /** UTF-16 units that are sooner written one by one. */
  const SHORT = 48;
  /** Units from which on room for the widest characters is made only where it is needed. */
  const LARGE = 1 << 18;
  /** Most bytes that a unit becomes. */
  const WIDEST = 3;

  const units = text.length;
  let most = units > SHORT && units < LARGE ? units * WIDEST : units;
  let at = malloc(most, 1) >>> 0;
  let read = 0;
  let written = 0;
  const memory = getUint8ArrayMemory0();
  if (units <= SHORT) {
    for (let unit; read < units && (unit = text.charCodeAt(read)) < 0x80; read += 1) {
      memory[at + read] = unit;
    }
    written = read;
  } else {
    ({ read, written } = cachedTextEncoder.encodeInto(text, memory.subarray(at, at + most)));
  }
  if (read < units) {
    const wider = written + (units - read) * WIDEST;
    at = realloc(at, most, wider, 1) >>> 0;
    most = wider;
    const behind = getUint8ArrayMemory0().subarray(at + written, at + most);
    written += cachedTextEncoder.encodeInto(text.slice(read), behind).written;
  }
  if (written < most) {
    at = realloc(at, most, written, 1) >>> 0;
  }
  WASM_VECTOR_LEN = written;
  return at;
}
