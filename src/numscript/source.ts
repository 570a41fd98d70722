/** Part of a text: offsets in UTF-16 code units, the end exclusive. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A place in a text: line and column from 1, columns counted in characters (code points). */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Where an offset is. A line ends with LF, CR LF or CR. */
export function positionOf(source: string, offset: number): Position {
  const before = source.slice(0, offset);
  const breaks = before.match(LINE_BREAKS)?.length ?? 0;
  return {
    line: breaks + 1,
    column: lengthOf(source.slice(lineStart(source, offset), offset)) + 1,
  };
}

/**
 * The line of a range with carets below the range, which is cut at the end of the line:
 *
 *     3 |   source = $nope
 *       |            ^^^^^
 */
export function excerptOf(source: string, range: Range): string {
  const start = lineStart(source, range.start);
  const end = lineEnd(source, range.start);
  const number = `${positionOf(source, range.start).line}`;
  // Around the place, in a line that nobody could read whole.
  const from =
    range.start - start > EXCERPT_LENGTH_MAX ? range.start - EXCERPT_LENGTH_MAX / 2 : start;
  const line = source.slice(from, Math.min(end, from + EXCERPT_LENGTH_MAX));
  const marked = Math.min(range.end, from + line.length) - range.start;
  const indent = source.slice(from, range.start).replaceAll(/[^\t]/gu, " ");
  const carets = "^".repeat(Math.max(1, lengthOf(source.slice(range.start, range.start + marked))));
  return `${number} | ${line}\n${" ".repeat(number.length)} | ${indent}${carets}`;
}

/** Length in code points. */
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
