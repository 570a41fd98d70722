import { RawText } from "./raw-text.ts";
import { NAME_CHARS_MAX } from "#modules/reconciliation/core/statements/model/limits.ts";
import type { FilePosition } from "#modules/reconciliation/core/statements/model/statement-error.ts";
import type { TextCursor } from "#modules/reconciliation/core/statements/text/text-cursor.ts";

/** How far back from the end of the text a position may lie: a tag begins before its name was read. */
const TAIL_CHARS = NAME_CHARS_MAX + 16;

/** Finds positions by offsets in a text that comes in pieces, and keeps the source of elements that have not ended. */
export class SourceWindow {
  readonly #cursor: TextCursor;
  /** The text from the cursor to the end of the last piece. */
  #text = "";
  /** The offset of the cursor. */
  #start = 0;
  readonly #open = new Set<RawText>();

  constructor(cursor: TextCursor) {
    this.#cursor = cursor;
  }

  /** Adds a piece. The text before it may still be asked for as far as `unread` characters before its end. */
  push(piece: string, unread = TAIL_CHARS): void {
    this.#moveTo(this.#start + this.#text.length - unread);
    for (const raw of this.#open) raw.append(piece);
    this.#text += piece;
  }

  /** The position of an offset, which must not lie before that of an earlier call. */
  at(offset: number): FilePosition {
    this.#moveTo(offset);
    return this.#cursor.position;
  }

  /** Keeps the source from the offset of the last call of `at` on. */
  open(): RawText {
    const raw = new RawText(this.#start, this.#text);
    this.#open.add(raw);
    return raw;
  }

  /** The source until an offset, cut when it is too long. */
  close(raw: RawText, end: number): string {
    this.#open.delete(raw);
    return raw.until(end);
  }

  #moveTo(offset: number): void {
    const length = offset - this.#start;
    if (length <= 0) return;
    this.#cursor.advance(this.#text.slice(0, length));
    this.#text = this.#text.slice(length);
    this.#start = offset;
  }
}
