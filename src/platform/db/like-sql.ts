import { and, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { AppError } from "#platform/errors.ts";
import { ANY_TEXT, type LikeItem, parseLike } from "#platform/filter/like.ts";
import { textBelow } from "#platform/filter/text-ranges.ts";

/** Longest pattern of SQL's GLOB on D1, in bytes. A longer pattern fails when it is compared with a row. */
const GLOB_BYTES_MAX = 50;

/**
 * The test of a text by a pattern of `$like`. SQL's LIKE ignores the case and takes only short patterns. The texts before the first
 * wildcard and after the last are therefore compared by themselves: both may be long, and the comparison of the first uses an index. Throws
 * `VALIDATION` if the rest is too long for GLOB; a single text between two `%` never is.
 */
export function likeCondition(operand: SQLWrapper, pattern: string, key: string): SQL {
  const items = parseLike(pattern);
  const first = items.findIndex(isWildcard);
  if (first === -1) return sql`${operand} = ${textIn(items)}`;
  const last = items.findLastIndex(isWildcard);
  const head = textIn(items.slice(0, first));
  const tail = textIn(items.slice(last + 1));
  const middle = items.slice(first, last + 1);
  const condition = and(
    head === "" ? undefined : startsWith(operand, head),
    tail === "" ? undefined : sql`substr(${operand}, -${lengthOf(tail)}) = ${tail}`,
    // The length keeps head and tail from overlapping.
    head === "" || tail === ""
      ? undefined
      : sql`length(${operand}) >= ${lengthOf(head)} + ${lengthOf(tail)}`,
    hasBetween(within(operand, { head, tail }), middle, key),
  );
  // Every text matches. As any other test, the equality is unknown for an absent value.
  return condition ?? sql`${operand} = ${operand}`;
}

const isWildcard = (item: LikeItem): boolean => typeof item !== "string";

const textIn = (items: readonly LikeItem[]): string =>
  items.filter((item) => typeof item === "string").join("");

/** The number of characters, as SQL counts them. A number is no text of a client and needs no parameter. */
const lengthOf = (text: string): SQL => sql.raw(String(Array.from(text).length));

function startsWith(operand: SQLWrapper, prefix: string): SQL {
  const below = textBelow(prefix);
  return below === undefined
    ? sql`${operand} >= ${prefix}`
    : sql`(${operand} >= ${prefix} AND ${operand} < ${below})`;
}

/** The part of the text between its head and its tail. */
function within(operand: SQLWrapper, { head, tail }: { head: string; tail: string }): SQLWrapper {
  if (tail === "") return head === "" ? operand : sql`substr(${operand}, ${lengthOf(head)} + 1)`;
  const length = sql`length(${operand}) - ${lengthOf(head)} - ${lengthOf(tail)}`;
  return sql`substr(${operand}, ${lengthOf(head)} + 1, ${length})`;
}

/** The test of a text by the items of a pattern, of which the first and the last are wildcards. */
function hasBetween(operand: SQLWrapper, items: readonly LikeItem[], key: string): SQL | undefined {
  const inner = items.slice(1, -1);
  const isOpen = items[0] === ANY_TEXT && items.at(-1) === ANY_TEXT;
  if (isOpen && !inner.some(isWildcard)) {
    return inner.length === 0 ? undefined : sql`instr(${operand}, ${textIn(inner)}) > 0`;
  }
  const glob = items.map(globOf).join("");
  if (new TextEncoder().encode(glob).length <= GLOB_BYTES_MAX) return sql`${operand} GLOB ${glob}`;
  throw new AppError(
    "VALIDATION",
    `the pattern for '${key}' has more than ${GLOB_BYTES_MAX} bytes from its first wildcard to its last`,
  );
}

function globOf(item: LikeItem): string {
  if (typeof item !== "string") return item === ANY_TEXT ? "*" : "?";
  return "*?[".includes(item) ? `[${item}]` : item;
}
