import { ByteBuffer } from "./byte-buffer.ts";
import { ELEMENT_BYTES_MAX } from "./limits.ts";
import { decodeText, failed, type Splitter, tooLarge } from "./splitter.ts";
import { JSON_DEPTH_MAX } from "#platform/json-depth.ts";
import type { Result } from "#platform/result.ts";

/**
 * Finds where the objects of a stream of JSON begin and end, with or without white space between them, and gives the text of each. Whether
 * a text is valid JSON is left to the parser. The splitter looks at bytes: the structure of JSON is in ASCII characters, and no byte of a
 * longer UTF-8 sequence is one.
 */
export class JsonSplitter implements Splitter<string> {
  readonly #begun = new ByteBuffer();
  readonly #example: string;
  /** The number of objects and arrays that are open; 0 between elements. */
  #depth = 0;
  #isInString = false;
  #isEscaped = false;

  /** `example` shows in messages how an object looks. */
  constructor(example = '{"action": …}') {
    this.#example = example;
  }

  *push(chunk: Uint8Array): Generator<Result<string>> {
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      if (this.#depth === 0) {
        if (isSpace(chunk[at])) continue;
        if (chunk[at] !== BRACE_OPEN) {
          yield failed(`expected an object, as \`${this.#example}\``);
          return;
        }
        start = at;
      }
      at = this.#walk(chunk, at);
      if (this.#depth > JSON_DEPTH_MAX) {
        yield failed(`it is nested deeper than ${JSON_DEPTH_MAX} levels`);
        return;
      }
      if (this.#depth > 0) break;
      const element = this.#complete(chunk.subarray(start, at + 1));
      yield element;
      if (!element.ok) return;
      start = at + 1;
    }
    if (this.#depth > 0) yield* this.#keep(chunk.subarray(start));
  }

  *end(): Generator<Result<string>> {
    if (this.#depth > 0) yield failed("the stream ends inside of it");
  }

  /**
   * Moves over an element, from one of its bytes to its last one, to where it is nested too deep, or to the end of the chunk. The state is
   * in variables, which take a fraction of the time of fields, because this is done for each byte.
   */
  #walk(chunk: Uint8Array, from: number): number {
    let [depth, isInString, isEscaped] = [this.#depth, this.#isInString, this.#isEscaped];
    let at = from;
    for (; at < chunk.length; at++) {
      const byte = chunk[at];
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isInString = false;
      } else if (byte === QUOTE) isInString = true;
      else if (byte === BRACE_OPEN || byte === BRACKET_OPEN) depth++;
      else if (byte === BRACE_CLOSE || byte === BRACKET_CLOSE) depth--;
      else continue;
      if (depth === 0 || depth > JSON_DEPTH_MAX) break;
    }
    this.#depth = depth;
    this.#isInString = isInString;
    this.#isEscaped = isEscaped;
    return at;
  }

  #complete(last: Uint8Array): Result<string> {
    if (this.#begun.length + last.length > ELEMENT_BYTES_MAX) return tooLarge();
    const text = decodeText(this.#begun.take(last));
    return text === undefined ? failed("it is not valid UTF-8") : { ok: true, value: text };
  }

  /** Keeps the part of an element that goes on in the next chunk. */
  *#keep(part: Uint8Array): Generator<Result<string>> {
    if (this.#begun.length + part.length > ELEMENT_BYTES_MAX) yield tooLarge();
    else this.#begun.append(part);
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;
const BRACKET_OPEN = 0x5b;
const BRACKET_CLOSE = 0x5d;

const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
