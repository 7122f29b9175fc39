// How text gets into a wasm module: encoded into a scratch buffer in its memory, which is used again for each text.

/** Resizes the module's buffer to a number of bytes and returns its address. The content stays, as far as it fits. */
export type ResizeBuffer = (bytes: number) => number;

/** Bytes of the buffer at the least. An ordinary message fits. */
const SMALL = 1 << 16;
/** Bytes above which the buffer is not kept for the next text. */
const LARGE = 1 << 20;
/** Most UTF-8 bytes per UTF-16 unit. */
const WIDEST = 3;

/** UTF-16 units up to which a loop is used instead of `encodeInto`. The loop takes a nanosecond per unit; a call of
 * `encodeInto` costs at least 0.2 µs in Chromium, which pays from 400 units on, and 0.03 µs in Node, which pays from 40. */
const SHORT = 256;

/** Characters that `isWide` looks at. */
const SAMPLES = 8;
/** Engines store a string with a character from here on in two bytes per unit. For those, `encodeInto` takes longer than
 * writing the units one by one. */
const WIDE = 0x100;

/** The scratch buffer of one module, for one text at a time. */
export class ScratchBuffer {
  readonly #memory: WebAssembly.Memory;
  readonly #resizeIn: ResizeBuffer;
  readonly #encoder = new TextEncoder();
  /** The buffer as bytes. Empty once the module's memory has grown: growing detaches all views of it. */
  #bytes = new Uint8Array(0);
  /** The same buffer as UTF-16 units. */
  #units = new Uint16Array(0);

  /** The latest view of numbers with fractions. */
  #fractions = new Float64Array(0);

  constructor(memory: WebAssembly.Memory, resize: ResizeBuffer) {
    this.#memory = memory;
    this.#resizeIn = resize;
  }

  /** Writes a text as UTF-8 and returns its length in bytes. A lone surrogate becomes U+FFFD. */
  write(text: string): number {
    const size = this.#bytes.length;
    if (text.length * WIDEST > size || size > LARGE) {
      return this.#writeLong(text);
    }
    const written = text.length <= SHORT ? writeShort(text, this.#bytes) : undefined;
    return written ?? this.#encoder.encodeInto(text, this.#bytes).written;
  }

  /** Writes a text that is UTF-8 already and returns its length in bytes. */
  copy(text: Uint8Array): number {
    // `>=`, because a detached view refuses even an empty text.
    if (text.length >= this.#bytes.length || this.#bytes.length > LARGE) {
      this.#resize(Math.max(SMALL, text.length));
    }
    this.#bytes.set(text);
    return text.length;
  }

  /** Writes a text as UTF-16: `text.length` units. */
  writeUtf16(text: string): void {
    const size = this.#units.length;
    if (text.length > size || size > LARGE) {
      this.#resize(Math.max(SMALL, 2 * text.length));
    }
    const units = this.#units;
    // Two per turn take a fifth less time in Chromium.
    let index = 0;
    for (; index + 1 < text.length; index += 2) {
      units[index] = text.charCodeAt(index);
      units[index + 1] = text.charCodeAt(index + 1);
    }
    if (index < text.length) {
      units[index] = text.charCodeAt(index);
    }
  }

  /** Writes files one after the other, for a module that takes ownership of the buffer and starts a new one. */
  fill(...files: readonly Uint8Array[]): void {
    this.#resize(files.reduce((sum, file) => sum + file.length, 0));
    let end = 0;
    for (const file of files) {
      this.#bytes.set(file, end);
      end += file.length;
    }
    this.#bytes = new Uint8Array(0);
    this.#units = new Uint16Array(0);
  }

  /** The text in the first bytes of the buffer. */
  read(bytes: number): string {
    this.#resize(bytes);
    return new TextDecoder().decode(this.#bytes);
  }

  /** A copy of this many bytes, which a function of the module has put there. */
  take(bytes: number): Uint8Array<ArrayBuffer> {
    this.#resize(bytes);
    return this.#bytes.slice();
  }

  /** A view of numbers at an address in the module's memory. Valid until the module is called again. */
  numbers(address: number, count: number): Uint32Array {
    return new Uint32Array(this.#memory.buffer, address, count);
  }

  /** The same of numbers with fractions. Calls for one address after the other get the same view. */
  fractions(address: number, count: number): Float64Array {
    // Growing the memory detaches the view, which is then empty.
    if (this.#fractions.byteOffset !== address || this.#fractions.length !== count) {
      this.#fractions = new Float64Array(this.#memory.buffer, address, count);
    }
    return this.#fractions;
  }

  #writeLong(text: string): number {
    const most = text.length * WIDEST;
    if (most <= LARGE) {
      this.#resize(Math.max(SMALL, most));
      return this.#encoder.encodeInto(text, this.#bytes).written;
    }
    // Most long texts are ASCII: only if this one is not, the buffer grows to what the rest may take.
    this.#resize(text.length);
    const { read, written } = this.#encoder.encodeInto(text, this.#bytes);
    if (read === text.length) {
      return written;
    }
    this.#resize(written + (text.length - read) * WIDEST);
    return written + this.#encoder.encodeInto(text.slice(read), this.#bytes.subarray(written)).written;
  }

  #resize(bytes: number): void {
    const resized = this.#resizeIn(bytes);
    // An empty buffer is nowhere: its address need not be one of a unit.
    const address = bytes === 0 ? 0 : resized;
    this.#bytes = new Uint8Array(this.#memory.buffer, address, bytes);
    this.#units = new Uint16Array(this.#memory.buffer, address, bytes >> 1);
  }
}

/** Whether a text is faster to write as UTF-16 than as UTF-8, which is so for scripts other than Latin. Looks at a few
 * characters; a wrong guess only costs time. */
export function isWide(text: string): boolean {
  const step = Math.ceil(text.length / SAMPLES);
  let wide = 0;
  for (let index = 0; index < text.length; index += step) {
    wide += text.charCodeAt(index) < WIDE ? 0 : 1;
  }
  return wide > 1;
}

/** Writes a text unit by unit and returns its length in bytes; undefined if it contains surrogates. */
function writeShort(text: string, bytes: Uint8Array): number | undefined {
  // As long as the text is ASCII, two characters per turn.
  let index = 0;
  for (; index + 1 < text.length; index += 2) {
    const first = text.charCodeAt(index);
    const second = text.charCodeAt(index + 1);
    if ((first | second) > 0x7f) {
      break;
    }
    bytes[index] = first;
    bytes[index + 1] = second;
  }
  let end = index;
  for (; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
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
