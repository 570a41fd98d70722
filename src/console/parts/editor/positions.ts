/** A place as the API gives it: line and character, both from 0. */
interface Position {
  readonly line: number;
  readonly character: number;
}

/** The offsets of a range. What lies outside of the text is moved to its end. */
export function offsetsOf(
  text: string,
  { start, end }: { readonly start: Position; readonly end: Position },
): { readonly from: number; readonly to: number } {
  const from = offsetOf(text, start);
  return { from, to: Math.max(from, offsetOf(text, end)) };
}

function offsetOf(text: string, { line, character }: Position): number {
  let begin = 0;
  for (let left = line; left > 0; left--) {
    const found = text.indexOf("\n", begin);
    if (found === -1) return text.length;
    begin = found + 1;
  }
  return Math.min(begin + character, text.length);
}
