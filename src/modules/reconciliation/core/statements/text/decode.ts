import { containerError } from "./containers.ts";
import { fileEncoding } from "./encoding.ts";
import { join, limitBytes } from "./file-bytes.ts";
import { TextCursor } from "./text-cursor.ts";
import type { Encoding } from "#modules/reconciliation/core/statements/model/options.ts";
import {
  FILE_START,
  StatementError,
} from "#modules/reconciliation/core/statements/model/statement-error.ts";

/** The text of a file. */
export interface FileText {
  /** Stands at the beginning of the text. */
  readonly start: TextCursor;
  /** Not empty, and without U+0000. Throws `StatementError` for what cannot be decoded, and when nothing but white space has come. */
  readonly pieces: AsyncIterable<string>;
}

/** Decodes a file as it streams. Throws `StatementError` for an empty file, an archive and an unknown encoding. */
export async function decodeFile(
  chunks: AsyncIterable<Uint8Array>,
  option: Encoding | undefined,
): Promise<FileText> {
  const bytes = limitBytes(chunks);
  try {
    const first = await bytes.next();
    if (first.done === true) throw new StatementError("EMPTY", "The file is empty.", FILE_START);
    const container = containerError(first.value);
    if (container !== undefined) throw container;
    const { encoding, markBytes } = fileEncoding(first.value, option);
    const start = { ...FILE_START, byte: markBytes };
    const all = withFirst(first.value.subarray(markBytes), bytes);
    return {
      start: new TextCursor(encoding, start),
      pieces: decodePieces(all, new TextCursor(encoding, start)),
    };
  } catch (error) {
    await bytes.return(undefined);
    throw error;
  }
}

/** Gives the first piece again, and ends the others with its own end, also when they were not begun. */
async function* withFirst(
  first: Uint8Array,
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

async function* decodePieces(
  pieces: AsyncIterable<Uint8Array>,
  cursor: TextCursor,
): AsyncGenerator<string> {
  const decoder = new PieceDecoder(cursor);
  let isBlank = true;
  for await (const piece of pieces) {
    const { text, fault } = decoder.decode(piece);
    isBlank &&= text.trim() === "";
    // What precedes a bad byte is read first, because it may have a fault that comes before.
    if (text !== "") yield text;
    if (fault !== undefined) throw fault;
  }
  decoder.end();
  if (isBlank) {
    throw new StatementError("EMPTY", "The file has no characters but white space.", FILE_START);
  }
}

/** Decodes pieces of a file, and keeps the bytes of a character that a piece has cut. */
class PieceDecoder {
  readonly #cursor: TextCursor;
  readonly #decoder: TextDecoder;
  #cut: Uint8Array = new Uint8Array();

  constructor(cursor: TextCursor) {
    this.#cursor = cursor;
    this.#decoder = newDecoder(cursor.encoding);
  }

  /** The text of a piece, until the first thing in it that is no text. */
  decode(piece: Uint8Array): { text: string; fault: StatementError | undefined } {
    const bytes = this.#cut.byteLength === 0 ? piece : join(this.#cut, piece);
    const whole = bytes.byteLength - cutBytes(bytes, this.#cursor.encoding);
    this.#cut = bytes.slice(whole);
    const { text, isBad } = this.#decodeWhole(bytes.subarray(0, whole));
    const nul = text.indexOf("\0");
    const good = nul < 0 ? text : text.slice(0, nul);
    this.#cursor.advance(good);
    if (nul >= 0) return { text: good, fault: this.#nul() };
    return { text: good, fault: isBad ? this.#badBytes() : undefined };
  }

  end(): void {
    if (this.#cut.byteLength > 0) throw this.#badBytes();
  }

  #decodeWhole(bytes: Uint8Array): { text: string; isBad: boolean } {
    try {
      return { text: this.#decoder.decode(bytes), isBad: false };
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
    // The longest beginning that can be decoded ends where the bad bytes begin.
    let [good, bad] = [0, bytes.byteLength];
    while (bad - good > 1) {
      const middle = (good + bad) >>> 1;
      if (decodeBeginning(bytes.subarray(0, middle), this.#cursor.encoding) === undefined)
        bad = middle;
      else good = middle;
    }
    const text = decodeBeginning(bytes.subarray(0, good), this.#cursor.encoding) ?? "";
    return { text, isBad: true };
  }

  #nul(): StatementError {
    return new StatementError(
      "ENCODING",
      "The file has the character U+0000, which no text has: it is no text, or in another encoding.",
      this.#cursor.position,
    );
  }

  #badBytes(): StatementError {
    return new StatementError(
      "ENCODING",
      `The file has bytes that are no character in ${this.#cursor.encoding}: it is in another encoding, or damaged.`,
      this.#cursor.position,
    );
  }
}

const newDecoder = (encoding: Encoding): TextDecoder =>
  new TextDecoder(encoding, { fatal: true, ignoreBOM: true });

/** The characters of a beginning of a piece, which may cut the last one; undefined when it has bad bytes. */
function decodeBeginning(bytes: Uint8Array, encoding: Encoding): string | undefined {
  try {
    return newDecoder(encoding).decode(bytes, { stream: true });
  } catch {
    return undefined; // The only failure of a decoder is bad bytes.
  }
}

/** The number of bytes at the end of a piece that begin a character and do not end it. */
function cutBytes(bytes: Uint8Array, encoding: Encoding): number {
  const length = bytes.byteLength;
  if (encoding === "utf-16le" || encoding === "utf-16be") {
    const odd = length % 2;
    const high = bytes[length - odd - (encoding === "utf-16le" ? 1 : 2)];
    return high !== undefined && high >= 0xd8 && high <= 0xdb ? odd + 2 : odd;
  }
  if (encoding !== "utf-8") return 0;
  for (let back = 1; back <= 3 && back <= length; back++) {
    const byte = bytes[length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue; // A byte inside of a character.
    const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return size > back ? back : 0;
  }
  return 0;
}
