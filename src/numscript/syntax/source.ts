/** A range of a text, as offsets in UTF-16 code units. `end` is excluded. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A position in a text: line and column from 1. Columns are counted in characters (code points). */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/**
 * The line of a range with carets below the range, which is cut at the end of the line:
 *
 *     3 |   source = $nope
 *       |            ^^^^^
 */
export function excerptOf(source: string, range: Range, lines: LineIndex): string {
  const start = lineStart(source, range.start);
  const end = lineEnd(source, range.start);
  const number = `${lines.positionOf(range.start).line}`;
  // Of a very long line, only the part around the position is shown.
  const from =
    range.start - start > EXCERPT_LENGTH_MAX ? range.start - EXCERPT_LENGTH_MAX / 2 : start;
  const line = source.slice(from, Math.min(end, from + EXCERPT_LENGTH_MAX));
  const marked = Math.min(range.end, from + line.length) - range.start;
  const indent = source.slice(from, range.start).replaceAll(/[^\t]/gu, " ");
  const carets = "^".repeat(Math.max(1, lengthOf(source.slice(range.start, range.start + marked))));
  return `${number} | ${line}\n${" ".repeat(number.length)} | ${indent}${carets}`;
}

/** A position in the Language Server Protocol: line from 0, and character from 0 in UTF-16 code units. */
export interface LspPosition {
  readonly line: number;
  readonly character: number;
}

export interface LspRange {
  readonly start: LspPosition;
  readonly end: LspPosition;
}

/** An index of the lines of a text, for looking up many offsets. A line ends with LF, CR LF or CR. */
export class LineIndex {
  readonly #source: string;
  readonly #starts: readonly number[];

  constructor(source: string) {
    const starts = [0];
    for (const { 0: text, index } of source.matchAll(LINE_BREAKS)) starts.push(index + text.length);
    this.#source = source;
    this.#starts = starts;
  }

  /**
   * An offset outside of the text counts as its nearest end. An offset between CR and LF counts as the end of the line.
   */
  lspPositionOf(offset: number): LspPosition {
    const place = Math.max(0, Math.min(offset, this.#source.length));
    const line = this.#lineOf(place);
    const start = this.#starts[line] ?? 0;
    const isInBreak =
      this.#source.charCodeAt(place) === 0x0a && this.#source.charCodeAt(place - 1) === 0x0d;
    return { line, character: place - start - (isInBreak ? 1 : 0) };
  }

  positionOf(offset: number): Position {
    const { line, character } = this.lspPositionOf(offset);
    const start = this.#starts[line] ?? 0;
    const text = this.#source.slice(start, start + character);
    return { line: line + 1, column: lengthOf(text) + 1 };
  }

  lspRangeOf({ start, end }: Range): LspRange {
    return { start: this.lspPositionOf(start), end: this.lspPositionOf(end) };
  }

  /** The last line that starts at the offset or before, by binary search. */
  #lineOf(offset: number): number {
    let first = 0;
    let last = this.#starts.length - 1;
    while (first < last) {
      const middle = Math.ceil((first + last) / 2);
      if ((this.#starts[middle] ?? 0) <= offset) first = middle;
      else last = middle - 1;
    }
    return first;
  }
}

/** The length of a text in code points. */
function lengthOf(text: string): number {
  return text.length - (text.match(PAIRS)?.length ?? 0);
}

const PAIRS = /[\uD800-\uDBFF][\uDC00-\uDFFF]/g;
const LINE_BREAKS = /\r\n|\r|\n/g;
/** Longest part of a line that an excerpt shows, in characters. */
const EXCERPT_LENGTH_MAX = 160;

const isBreak = (unit: number): boolean => unit === 0x0a || unit === 0x0d;

function lineStart(source: string, offset: number): number {
  let start = offset;
  while (start > 0 && !isBreak(source.charCodeAt(start - 1))) start--;
  return start;
}

function lineEnd(source: string, offset: number): number {
  let end = offset;
  while (end < source.length && !isBreak(source.charCodeAt(end))) end++;
  return end;
}
