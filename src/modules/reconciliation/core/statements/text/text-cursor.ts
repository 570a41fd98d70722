import { byteLength } from "./byte-length.ts";
import type { Encoding } from "#modules/reconciliation/core/statements/model/options.ts";
import type { FilePosition } from "#modules/reconciliation/core/statements/model/statement-error.ts";

const LINE_END = /\r\n|\n|\r/g;

/** Moves forward through a text that comes in pieces, and knows the position where it stands. */
export class TextCursor {
  readonly encoding: Encoding;
  #line: number;
  #column: number;
  #byte: number;
  /** Whether the last code unit was a `\r`, so that a `\n` belongs to its line end. */
  #afterReturn = false;

  constructor(encoding: Encoding, start: FilePosition) {
    this.encoding = encoding;
    this.#line = start.line;
    this.#column = start.column;
    this.#byte = start.byte;
  }

  get position(): FilePosition {
    return { line: this.#line, column: this.#column, byte: this.#byte };
  }

  advance(text: string): void {
    if (text === "") return;
    this.#byte += byteLength(text, this.encoding);
    let start = this.#afterReturn && text.startsWith("\n") ? 1 : 0;
    LINE_END.lastIndex = start;
    for (;;) {
      const end = LINE_END.exec(text);
      if (end === null) break;
      this.#line++;
      this.#column = 1;
      start = end.index + end[0].length;
    }
    this.#column += text.length - start;
    this.#afterReturn = text.endsWith("\r");
  }
}
