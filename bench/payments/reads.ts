import { z } from "zod";
import { COUNT, type ListWorld } from "./world.ts";
import { metadataBloom } from "#modules/payments/core/bloom/metadata-bloom.ts";
import { stringifyJson } from "#platform/json.ts";
import { encodeCursor } from "#platform/paging/cursor.ts";
import type { ListOptions, PageKey } from "#platform/paging/query.ts";
import { toMicros } from "#platform/time.ts";
import { at } from "#test/support/payments/provider-objects.ts";

/** The number of rows that a filter matches: more than a page, fewer, or none. */
export type Hits = "many" | "few" | "none";

export interface NamedFilter {
  readonly name: string;
  readonly hits: Hits;
  readonly where?: object;
  /** Options of the list besides filters. */
  readonly options?: ListOptions;
}

/** A list of the API, in all generations that have it. */
export interface PaymentList {
  readonly name: string;
  readonly paths: readonly string[];
  readonly filters: readonly NamedFilter[];
  /** The cursor of the middle page; absent if all rows fit on one page. */
  readonly cursor?: {
    /** The name of the list in its cursors. */
    readonly list: string;
    readonly column?: "created_at" | "key" | "id";
    /** The key of the middle row. */
    readonly middle?: PageKey;
  };
}

export interface PaymentRead {
  /** The name of the read's list. */
  readonly list: string;
  readonly name: string;
  readonly run: () => Promise<unknown>;
  /** Throws if an answer does not fit the name. */
  readonly check: (answer: unknown) => void;
}

const PAGE_SIZE = 15;

export const ALL: NamedFilter = { name: "all", hits: "many" };

/** Filters of one key, by values that many, few and no rows have. */
export const filtersBy = (
  key: string,
  values: Partial<Readonly<Record<Hits, string>>>,
): NamedFilter[] =>
  (["many", "few", "none"] as const).flatMap((hits) => {
    const value = values[hits];
    return value === undefined
      ? []
      : [{ name: `${key} of ${hits}`, hits, where: { $match: { [key]: value } } }];
  });

/** Filters of an amount that is at most 99,999. */
export const filtersByAmount = (key: string): NamedFilter[] => [
  { name: `${key} of many`, hits: "many", where: { $lt: { [key]: 50_000 } } },
  { name: `${key} of none`, hits: "none", where: { $gt: { [key]: 1_000_000 } } },
];

/** Filters of the metadata of `metadataAt`. */
export const filtersByMetadata = (): NamedFilter[] => [
  ...filtersBy("metadata[channel]", { many: "web" }),
  ...filtersBy("metadata[order]", { few: "777", none: "none" }),
];

export const metadataAt = (place: number) => ({ order: `${place}`, channel: "web" });

/** The columns of the metadata of `metadataAt`. */
export const metadataColumnsAt = (place: number) => ({
  metadata: stringifyJson(metadataAt(place)),
  metadata_bits: metadataBloom(metadataAt(place)),
});

/** The first and the middle page of each filter in each generation. */
export function readsOf(world: ListWorld, list: PaymentList): PaymentRead[] {
  return list.paths.flatMap((path) =>
    list.filters.flatMap((filter) =>
      (["first", "middle"] as const).flatMap((page) => {
        if (page === "middle" && list.cursor === undefined) return [];
        const url = `${path}?${parametersOf(list, filter, page).toString()}`;
        const generation = path.includes("/v3/") || path.includes("/florin/") ? "v3" : "v1";
        return [
          {
            list: list.name,
            name: `${generation}, ${filter.name}, ${page} page`,
            run: () => world.get(url),
            check: (answer: unknown) => assertHits(answer, { filter, page, url }),
          },
        ];
      }),
    ),
  );
}

/** A read of a path without filters and pages. */
export const plainRead = (
  world: ListWorld,
  read: { readonly list: string; readonly name: string; readonly path: string },
): PaymentRead => ({
  ...read,
  run: () => world.get(read.path),
  check: () => undefined,
});

function parametersOf(
  { cursor }: PaymentList,
  { where, options }: NamedFilter,
  page: "first" | "middle",
): URLSearchParams {
  if (page === "first" || cursor === undefined) {
    const parameters = new URLSearchParams(
      where === undefined ? {} : { query: stringifyJson(where) },
    );
    for (const [name, value] of Object.entries(options ?? {})) parameters.set(name, `${value}`);
    return parameters;
  }
  const { list, column = "created_at", middle = MIDDLE } = cursor;
  const text = encodeCursor({
    kind: "column",
    list,
    column,
    order: column === "id" ? "asc" : "desc",
    pageSize: PAGE_SIZE,
    reverse: false,
    start: middle,
    ...(where === undefined ? {} : { where: stringifyJson(where) }),
    ...(options === undefined ? {} : { options }),
  });
  return new URLSearchParams({ cursor: text });
}

const MIDDLE: PageKey = { value: toMicros(at(COUNT / 2)), tie: 0n };

const ListAnswer = z.object({
  cursor: z.object({ hasMore: z.boolean(), data: z.array(z.unknown()) }),
});

/** Throws if a filter finds another number of rows than it should: a list that is fast because it finds nothing must not pass as fast. */
function assertHits(
  answer: unknown,
  { filter, page, url }: { filter: NamedFilter; page: "first" | "middle"; url: string },
): void {
  const { hasMore, data } = ListAnswer.parse(answer).cursor;
  const found = hasMore ? "many" : data.length > 0 ? "few" : "none";
  if (found === filter.hits) return;
  // The few rows may all be in the first half of the list.
  if (filter.hits === "few" && page === "middle" && found === "none") return;
  throw new Error(`${filter.name} should find ${filter.hits} and finds ${found}: ${url}`);
}
