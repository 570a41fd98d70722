import { parseJson } from "#platform/json.ts";

/** A text, a sign of structure, or another value, in JSON that is well formed. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/**
 * Where the value of a member begins in the text of an object that begins at `start`: of the last member of that name, whose value counts.
 */
export function memberStart(text: string, start: number, name: string): number | undefined {
  let depth = 0;
  let key: string | undefined;
  let isKey = false;
  let found: number | undefined;
  TOKEN.lastIndex = start;
  for (;;) {
    const token = TOKEN.exec(text);
    if (token === null) return found;
    const [sign] = token;
    if (depth === 1 && key === name && sign !== ":" && !isKey) {
      found = token.index;
      key = undefined;
    }
    if (sign === "{" || sign === "[") depth++;
    else if (sign === "}" || sign === "]") depth--;
    else if (depth === 1 && isKey) {
      key = String(parseJson(sign));
      isKey = false;
      continue;
    }
    if (depth === 0) return found;
    if (depth === 1 && (sign === "," || sign === "{")) isKey = true;
  }
}
