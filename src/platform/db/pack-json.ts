/** Longest JSON parameter, in characters: below D1's limit of 2,000,000 bytes if each character takes three bytes. */
export const PARAMETER_LENGTH_MAX = 600_000;

/**
 * JSON arrays of at most `PARAMETER_LENGTH_MAX` characters, from the JSON of their elements. Rows are packed into few parameters, because a
 * statement takes at most 100. An element that is longer by itself has an array of its own.
 */
export function* packJson(elements: readonly string[]): Generator<string> {
  let pack: string[] = [];
  let length = 0;
  for (const element of elements) {
    if (length + element.length > PARAMETER_LENGTH_MAX && pack.length > 0) {
      yield `[${pack.join(",")}]`;
      pack = [];
      length = 0;
    }
    pack.push(element);
    length += element.length + 1;
  }
  if (pack.length > 0) yield `[${pack.join(",")}]`;
}
