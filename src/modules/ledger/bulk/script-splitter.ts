import { ByteBuffer } from "./byte-buffer.ts";
import { ELEMENT_BYTES_MAX, SCRIPT_LINE_BYTES_MAX } from "./limits.ts";
import { decodeText, failed, type Splitter, tooLarge } from "./splitter.ts";
import type { Result } from "#platform/result.ts";

/** A script of a stream, with the options of its header. */
export interface ScriptItem {
  /** Empty where the header has no key. */
  readonly idempotencyKey: string;
  /** Lines of the script, each with a line feed at its end. */
  readonly plain: string;
}

/**
 * Splits a stream of scripts. Each script begins with a line `//script`, which may have options, and ends with a line `//end` or with the
 * stream. Lines may end with CR LF, as on Windows.
 */
export class ScriptSplitter implements Splitter<ScriptItem> {
  readonly #line = new ByteBuffer();
  readonly #script = new ByteBuffer();
  #lineNumber = 0;
  /** The key of the current script; undefined between scripts. */
  #idempotencyKey: string | undefined;

  *push(chunk: Uint8Array): Generator<Result<ScriptItem>> {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, start);
      if (end === -1) break;
      const item = this.#endLine(chunk.subarray(start, end));
      if (item !== undefined) yield item;
      if (item?.ok === false) return;
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    // One more byte may be the carriage return at the end of the line.
    if (this.#line.length + rest.length > SCRIPT_LINE_BYTES_MAX + 1) {
      this.#lineNumber++;
      yield this.#lineTooLong();
    } else this.#line.append(rest);
  }

  *end(): Generator<Result<ScriptItem>> {
    if (this.#line.length > 0) {
      const item = this.#endLine(new Uint8Array(0));
      if (item !== undefined) yield item;
      if (item?.ok === false) return;
    }
    if (this.#idempotencyKey !== undefined) yield this.#endScript(this.#idempotencyKey);
  }

  /** Processes a whole line. Returns the script that the line ends, or what is wrong with the line. */
  #endLine(last: Uint8Array): Result<ScriptItem> | undefined {
    this.#lineNumber++;
    const taken = this.#line.take(last);
    const line = taken.at(-1) === CARRIAGE_RETURN ? taken.subarray(0, -1) : taken;
    if (line.length > SCRIPT_LINE_BYTES_MAX) return this.#lineTooLong();
    if (this.#idempotencyKey === undefined) return this.#begin(line);
    if (isText(line, END)) return this.#endScript(this.#idempotencyKey);
    if (this.#script.length + line.length >= ELEMENT_BYTES_MAX) return tooLarge();
    this.#script.append(line);
    this.#script.append(LINE_END);
  }

  #begin(line: Uint8Array): Result<ScriptItem> | undefined {
    const text = decodeText(line);
    if (text === undefined) return this.#invalid("it is not valid UTF-8");
    if (/^[ \t]*$/.test(text)) return;
    const header = /^\/\/script(?:[ \t]+(.*))?$/s.exec(text);
    if (header === null) return this.#invalid("invalid header: expected `//script`");
    const options = parseOptions((header[1] ?? "").trim());
    if (!options.ok) return this.#invalid(options.message);
    this.#idempotencyKey = options.idempotencyKey;
  }

  #endScript(idempotencyKey: string): Result<ScriptItem> {
    this.#idempotencyKey = undefined;
    const plain = decodeText(this.#script.take(new Uint8Array(0)));
    if (plain === undefined) return failed("the script is not valid UTF-8");
    if (plain.includes("\0")) return failed("the script contains U+0000");
    return { ok: true, value: { idempotencyKey, plain } };
  }

  #lineTooLong() {
    return this.#invalid(`it is longer than ${SCRIPT_LINE_BYTES_MAX} bytes`);
  }

  #invalid(why: string) {
    return failed(`line ${this.#lineNumber}: ${why}`);
  }
}

type Options =
  | { readonly ok: true; readonly idempotencyKey: string }
  | { readonly ok: false; readonly message: string };

/** Parses options `name=value`, separated by commas. The only option is the idempotency key, `ik`, of which an empty one counts as none. */
function parseOptions(text: string): Options {
  if (text === "") return { ok: true, idempotencyKey: "" };
  let idempotencyKey: string | undefined;
  for (const option of text.split(",")) {
    const at = option.indexOf("=");
    const name = (at === -1 ? option : option.slice(0, at)).trim();
    if (name !== "ik") return refused(`unknown option '${shorten(name)}'`);
    if (at === -1) return refused("expected `ik=KEY`, found `ik`");
    if (idempotencyKey !== undefined) return refused("the option 'ik' is repeated");
    idempotencyKey = option.slice(at + 1).trim();
    if (idempotencyKey.includes("\0")) return refused("the idempotency key contains U+0000");
  }
  return { ok: true, idempotencyKey: idempotencyKey ?? "" };
}

const refused = (message: string): Options => ({ ok: false, message });

/** Longest part of the stream that a message repeats, in characters. */
const QUOTED_LENGTH_MAX = 40;
const shorten = (text: string): string => text.slice(0, QUOTED_LENGTH_MAX).toWellFormed();

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const LINE_END = Uint8Array.of(LINE_FEED);
const END = new TextEncoder().encode("//end");

const isText = (bytes: Uint8Array, text: Uint8Array): boolean =>
  bytes.length === text.length && text.every((byte, index) => bytes[index] === byte);
