/** A part of a text, as offsets in UTF-16 code units; `end` is exclusive. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Longest line that is repeated below a message. Of a longer line, the part around the position is shown. */
const EXCERPT_LENGTH_MAX = 200;

/** A message with its position, and the line with a caret below the position. */
export function withExcerpt(message: string, source: string, at: number): string {
  const before = source.slice(0, at);
  const lineStart = before.lastIndexOf("\n") + 1;
  const number = before.split("\n").length;
  const lineEnd = source.indexOf("\n", at);
  const line = source.slice(lineStart, lineEnd === -1 ? source.length : lineEnd);
  const column = lengthOf(source.slice(lineStart, at));
  const from = Math.max(0, at - lineStart - EXCERPT_LENGTH_MAX / 2);
  const shown = line.slice(from, from + EXCERPT_LENGTH_MAX);
  const dots = ".".repeat(lengthOf(line.slice(from, at - lineStart)));
  return `${message} (${number}:${column + 1})\n | ${shown}\n | ${dots}^`;
}

/** The length of a text in characters (code points). */
export function lengthOf(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    if (isHighSurrogate(text.charCodeAt(at)) && isLowSurrogate(text.charCodeAt(at + 1))) length--;
  }
  return length;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** A position as the Language Server Protocol counts: lines from 0, and characters from 0 in UTF-16 code units. */
export interface EditorPosition {
  readonly line: number;
  readonly character: number;
}

/** Turns ranges of a text into lines and characters. */
export function lspRanges(
  source: string,
): (range: TextRange) => { start: EditorPosition; end: EditorPosition } {
  const starts = [0];
  for (let at = source.indexOf("\n"); at !== -1; at = source.indexOf("\n", at + 1)) {
    starts.push(at + 1);
  }
  const positionOf = (offset: number): EditorPosition => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low, character: offset - (starts[low] ?? 0) };
  };
  return ({ start, end }) => ({ start: positionOf(start), end: positionOf(end) });
}
