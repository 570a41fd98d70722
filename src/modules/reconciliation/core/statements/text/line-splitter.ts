import { byteLength } from "./byte-length.ts";
import type { TextCursor } from "./text-cursor.ts";
import { LINE_CHARS_MAX } from "#modules/reconciliation/core/statements/model/limits.ts";
import type { Encoding } from "#modules/reconciliation/core/statements/model/options.ts";
import {
  type FilePosition,
  StatementError,
} from "#modules/reconciliation/core/statements/model/statement-error.ts";
import type { SpanField } from "#modules/reconciliation/core/statements/values/field.ts";

/** A line of a text file. */
export class Line {
  /** The line without its end. */
  readonly text: string;
  /** What ends the line: `\n`, `\r\n`, `\r` or, at the end of the file, nothing. */
  readonly end: string;
  readonly #start: FilePosition;
  readonly #encoding: Encoding;

  constructor(
    { text, end }: { text: string; end: string },
    start: FilePosition,
    encoding: Encoding,
  ) {
    this.text = text;
    this.end = end;
    this.#start = start;
    this.#encoding = encoding;
  }

  /** The position of a character of the line. */
  at(index: number): FilePosition {
    const { line, byte } = this.#start;
    const before = byteLength(this.text.slice(0, index), this.#encoding);
    return { line, column: index + 1, byte: byte + before };
  }

  /** The line from a character on. */
  from(index: number, end?: number): SpanField {
    return {
      text: this.text.slice(index, end),
      position: this.at(index),
      at: (offset) => this.at(index + offset),
    };
  }
}

const LINE_END = /\r\n|\n|\r/g;

/** Divides a text that comes in pieces into lines. */
export class LineSplitter {
  readonly #cursor: TextCursor;
  /** The beginning of the line that has not ended yet. */
  #rest = "";

  constructor(cursor: TextCursor) {
    this.#cursor = cursor;
  }

  get encoding(): Encoding {
    return this.#cursor.encoding;
  }

  /** Where the line begins that has not ended yet. */
  get position(): FilePosition {
    return this.#cursor.position;
  }

  split(piece: string): Line[] {
    const lines: Line[] = [];
    // A return at the end of a piece may be the first half of a line end.
    const text = this.#rest + piece;
    const whole = text.endsWith("\r") ? text.length - 1 : text.length;
    let start = 0;
    LINE_END.lastIndex = 0;
    for (;;) {
      const end = LINE_END.exec(text);
      if (end === null || end.index >= whole) break;
      lines.push(this.#lineOf(text.slice(start, end.index), end[0]));
      start = end.index + end[0].length;
    }
    this.#rest = text.slice(start);
    this.#assertShort(this.#rest);
    return lines;
  }

  /** The last line, which no line end follows. */
  end(): Line[] {
    if (this.#rest === "") return [];
    const isEnded = this.#rest.endsWith("\r");
    return [isEnded ? this.#lineOf(this.#rest.slice(0, -1), "\r") : this.#lineOf(this.#rest, "")];
  }

  #lineOf(text: string, end: string): Line {
    this.#assertShort(text);
    const line = new Line({ text, end }, this.#cursor.position, this.#cursor.encoding);
    this.#cursor.advance(text + end);
    return line;
  }

  #assertShort(text: string): void {
    if (text.length <= LINE_CHARS_MAX) return;
    const message = `A line of the file is longer than ${LINE_CHARS_MAX} characters.`;
    throw new StatementError("LIMIT", message, this.#cursor.position);
  }
}
