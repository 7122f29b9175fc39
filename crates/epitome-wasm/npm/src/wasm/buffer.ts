// How text gets into a wasm module: encoded into a stretch of its memory that is used again and again.

/** Makes the room so many bytes large, and tells where it is. What it holds stays, as far as it fits. */
export type MakeRoom = (bytes: number) => number;

/** Bytes that an ordinary message fits into. */
const SMALL = 1 << 16;
/** More are not kept for the next text. */
const LARGE = 1 << 20;
/** Most bytes that one UTF-16 unit becomes. */
const WIDEST = 3;

/** UTF-16 units that are sooner written one by one, at a nanosecond each: what `encodeInto` costs at the least is 0.2 µs in
 * Chromium, which is made up for by 400 units, and 0.03 in Node, by 40. */
const SHORT = 256;

/** Places that are looked at to see what a text is written in. */
const PLACES = 8;
/** A string with characters from here on is kept in units of two bytes, over which `encodeInto` takes longer than it
 * takes to write them one by one. */
const WIDE = 0x100;

export class Room {
  readonly #memory: WebAssembly.Memory;
  readonly #make: MakeRoom;
  readonly #encoder = new TextEncoder();
  #bytes = new Uint8Array(0);
  /** The same stretch, in units. */
  #units = new Uint16Array(0);

  constructor(memory: WebAssembly.Memory, make: MakeRoom) {
    this.#memory = memory;
    this.#make = make;
  }

  /** Writes a text, and returns how many bytes it has. Half a surrogate pair becomes U+FFFD. */
  write(text: string): number {
    // A memory that has grown leaves its views empty.
    const there = this.#bytes.length;
    if (text.length * WIDEST > there || there > LARGE) {
      return this.#writeLong(text);
    }
    const written = text.length <= SHORT ? writeShort(text, this.#bytes) : undefined;
    return written ?? this.#encoder.encodeInto(text, this.#bytes).written;
  }

  /** Writes a text that is encoded already, and returns how many bytes it has. */
  copy(text: Uint8Array): number {
    // A memory that has grown leaves its views empty, and then not even nothing can be written there.
    if (text.length >= this.#bytes.length || this.#bytes.length > LARGE) {
      this.#resize(Math.max(SMALL, text.length));
    }
    this.#bytes.set(text);
    return text.length;
  }

  /** Writes a text as it is, which takes as many units as it has. */
  writeUtf16(text: string): void {
    const there = this.#units.length;
    if (text.length > there || there > LARGE) {
      this.#resize(Math.max(SMALL, 2 * text.length));
    }
    const units = this.#units;
    // Two at a time take a fifth less in Chromium.
    let at = 0;
    for (; at + 1 < text.length; at += 2) {
      units[at] = text.charCodeAt(at);
      units[at + 1] = text.charCodeAt(at + 1);
    }
    if (at < text.length) {
      units[at] = text.charCodeAt(at);
    }
  }

  /** Writes files one behind the other. */
  fill(...files: readonly Uint8Array[]): void {
    this.#resize(files.reduce((sum, file) => sum + file.length, 0));
    let end = 0;
    for (const file of files) {
      this.#bytes.set(file, end);
      end += file.length;
    }
    // The module takes the room as it is, and makes another one.
    this.#bytes = new Uint8Array(0);
    this.#units = new Uint16Array(0);
  }

  /** The text that the room has in its first bytes. */
  read(bytes: number): string {
    this.#resize(bytes);
    return new TextDecoder().decode(this.#bytes);
  }

  /** A look at numbers that the module has somewhere in its memory. It holds until the next call. */
  numbers(at: number, count: number): Uint32Array {
    return new Uint32Array(this.#memory.buffer, at, count);
  }

  #writeLong(text: string): number {
    const most = text.length * WIDEST;
    if (most <= LARGE) {
      this.#resize(Math.max(SMALL, most));
      return this.#encoder.encodeInto(text, this.#bytes).written;
    }
    // Most long texts are in ASCII: only what does not fit then gets room for the widest characters.
    this.#resize(text.length);
    const { read, written } = this.#encoder.encodeInto(text, this.#bytes);
    if (read === text.length) {
      return written;
    }
    this.#resize(written + (text.length - read) * WIDEST);
    return written + this.#encoder.encodeInto(text.slice(read), this.#bytes.subarray(written)).written;
  }

  #resize(bytes: number): void {
    const at = this.#make(bytes);
    this.#bytes = new Uint8Array(this.#memory.buffer, at, bytes);
    this.#units = new Uint16Array(this.#memory.buffer, at, bytes >> 1);
  }
}

/** Whether a text is sooner written as UTF-16 than as UTF-8, as one in another script than the Latin one is. Looks at a
 * few places, and where it is wrong nothing is but the time it takes. */
export function isWide(text: string): boolean {
  const step = Math.ceil(text.length / PLACES);
  let wide = 0;
  for (let at = 0; at < text.length; at += step) {
    wide += text.charCodeAt(at) < WIDE ? 0 : 1;
  }
  return wide > 1;
}

/** Writes a text unit by unit, and returns how many bytes it has; undefined where there are surrogates in it. */
function writeShort(text: string, bytes: Uint8Array): number | undefined {
  // Two characters of ASCII at a time, as far as the text is in ASCII.
  let at = 0;
  for (; at + 1 < text.length; at += 2) {
    const first = text.charCodeAt(at);
    const second = text.charCodeAt(at + 1);
    if ((first | second) > 0x7f) {
      break;
    }
    bytes[at] = first;
    bytes[at + 1] = second;
  }
  let end = at;
  for (; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) {
      bytes[end++] = unit;
    } else if (unit < 0x800) {
      bytes[end++] = 0xc0 | (unit >> 6);
      bytes[end++] = 0x80 | (unit & 0x3f);
    } else if (unit < 0xd800 || unit > 0xdfff) {
      bytes[end++] = 0xe0 | (unit >> 12);
      bytes[end++] = 0x80 | ((unit >> 6) & 0x3f);
      bytes[end++] = 0x80 | (unit & 0x3f);
    } else {
      return undefined;
    }
  }
  return end;
}
