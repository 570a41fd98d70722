import { type FoundHits, type PlacedHit, type SearchHit, type SearchSort } from "./search-query.ts";
import { AppError } from "#platform/errors.ts";

/** Most hits that a search sorts by a member of theirs: each of them is read for each page. */
export const SORTED_MAX = 200;

interface SortedPage {
  readonly sort: SearchSort;
  /** Finds the first hits in the order of the index. */
  readonly find: (wanted: number) => Promise<FoundHits>;
  readonly offset: number;
  /** The value of the last hit of the page before, in place of an offset. */
  readonly after?: string | undefined;
  readonly wanted: number;
}

/** Sorts all hits by a member. Hits with equal values stay in the order of the index; those without a value come last. */
export async function findSorted({
  sort,
  find,
  offset,
  after,
  wanted,
}: SortedPage): Promise<FoundHits> {
  const { hits, goesOnAt, isPartial } = await find(SORTED_MAX + 1);
  if (hits.length > SORTED_MAX || goesOnAt !== undefined || isPartial) {
    throw new AppError(
      "VALIDATION",
      `sort: more than ${SORTED_MAX} objects match, or may match; name more terms, or leave the order to the index`,
    );
  }
  const direction = sort.order === "asc" ? 1 : -1;
  const valueOf = ({ hit }: Pick<PlacedHit, "hit">) => valueAt(hit, sort.field);
  const sorted = hits.toSorted((a, b) => compare(valueOf(a), valueOf(b), direction));
  const start =
    after === undefined
      ? offset
      : sorted.filter((hit) => compare(valueOf(hit), toValue(after, valueOf(hit)), direction) <= 0)
          .length;
  const page = sorted.slice(start, start + wanted);
  return {
    hits: page.map(({ hit }, at) => ({ hit, position: { offset: start + at + 1 } })),
    isPartial: false,
  };
}

type SortValue = string | bigint | number | undefined;

function valueAt(hit: SearchHit, field: string): SortValue {
  const value = Object.hasOwn(hit, field) ? hit[field] : undefined;
  if (typeof value === "boolean") return `${value}`;
  return typeof value === "string" || typeof value === "number" || typeof value === "bigint"
    ? value
    : undefined;
}

/** A text as a value that is compared with another one. */
const toValue = (text: string, other: SortValue): SortValue =>
  typeof other !== "string" && INTEGER.test(text) ? BigInt(text) : text;

const INTEGER = /^-?\d+$/;

function compare(a: SortValue, b: SortValue, direction: 1 | -1): number {
  if (a === undefined || b === undefined) {
    return a === b ? 0 : a === undefined ? 1 : -1;
  }
  const isText = typeof a === "string" || typeof b === "string";
  const [left, right] = isText ? [`${a}`, `${b}`] : [a, b];
  return left === right || `${left}` === `${right}` ? 0 : left < right ? -direction : direction;
}
