import { type SearchCursor, decodeCursor, encodeCursor } from "./cursor.ts";
import { findIndexed } from "./find-indexed.ts";
import { findListed } from "./find-listed.ts";
import { findSorted } from "./find-sorted.ts";
import type { SearchPosition, RowPosition } from "./position.ts";
import {
  type FoundHits,
  maySee,
  NOTHING_FOUND,
  type SearchHit,
  type SearchQuery,
  type SearchSort,
} from "./search-query.ts";
import type { ListedKind } from "#modules/search/api/lists.ts";
import { isKind, type Kind, KIND_NAMES, KINDS } from "#modules/search/core/kinds.ts";
import { parseTerm, type TermPolicy } from "#modules/search/core/terms.ts";
import { callShard, shardObject, shardOf } from "#modules/search/shards/shards.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";

/** A search as a client sends it. Absent and empty members are undefined. */
export interface SearchRequest {
  readonly target?: string | undefined;
  readonly ledgers?: readonly string[] | undefined;
  readonly terms: readonly string[];
  readonly policy: TermPolicy;
  readonly pageSize: number;
  readonly sort?: string | undefined;
  /** The sort value of the last hit of the page before or, without `sort`, its id and, if it is needed, its ledger. */
  readonly after?: readonly string[] | undefined;
  readonly cursor?: string | undefined;
}

/** A page of hits of one kind. */
export interface SearchPage {
  readonly pageSize: number;
  readonly hasMore: boolean;
  readonly next?: string;
  readonly previous?: string;
  /** The number of hits up to this page and one more if there are more; `gte` where there may be more than this number. */
  readonly total: { readonly value: number; readonly relation: "eq" | "gte" };
  readonly data: readonly SearchHit[];
}

/**
 * Finds objects of one kind, a page of them. A kind that the principal may not read has no hits. Throws `VALIDATION` for an unknown kind, a
 * bad cursor, and an order that the search cannot give.
 */
export async function searchKind(
  context: ServiceContext,
  request: SearchRequest & { readonly target: string },
): Promise<SearchPage> {
  const content = contentOf(request);
  const [start, seen] = content.at.at(-1) ?? [null, 0];
  const { hits, goesOnAt, isPartial } = await findPage(context, content, start);
  const data = hits.slice(0, content.n);
  const last = data.at(-1)?.position;
  const nextAt = hits.length > content.n ? last : goesOnAt;
  const hasMore = nextAt !== undefined;
  const count = seen + data.length;
  const previous = content.at.slice(0, -1);
  return {
    pageSize: content.n,
    hasMore,
    total: {
      value: hits.length > content.n ? count + 1 : count,
      relation: hasMore || isPartial ? "gte" : "eq",
    },
    ...(nextAt === undefined
      ? {}
      : { next: encodeCursor({ ...content, at: [...content.at, [nextAt, count]] }) }),
    ...(previous.length === 0 ? {} : { previous: encodeCursor({ ...content, at: previous }) }),
    data: data.map(({ hit }) => hit),
  };
}

/** Finds the first hits of each kind that has some and that the principal may read. */
export async function searchAll(
  context: ServiceContext,
  { terms, policy, ledgers, pageSize }: SearchRequest,
): Promise<Partial<Record<Kind, readonly SearchHit[]>>> {
  const parsed = terms.map(parseTerm);
  const found = await Promise.all(
    KIND_NAMES.map(async (kind) => {
      const query: SearchQuery = { kind, terms: parsed, policy, ledgers };
      const { hits } = await findFrom(context, query, { start: null, wanted: pageSize });
      return [kind, hits.map(({ hit }) => hit)] as const;
    }),
  );
  return Object.fromEntries(found.filter(([, hits]) => hits.length > 0));
}

/** The search of a cursor, or the first page of a request. */
function contentOf(request: SearchRequest & { readonly target: string }): SearchCursor {
  if (request.cursor !== undefined) return decodeCursor(request.cursor);
  const { target, ledgers, terms, policy, pageSize, sort, after } = request;
  return {
    t: target,
    ...(ledgers === undefined ? {} : { l: [...ledgers] }),
    q: [...terms],
    p: policy,
    n: pageSize,
    ...(sort === undefined ? {} : { s: sort }),
    ...(after === undefined ? {} : { a: [...after] }),
    at: [[null, 0]],
  };
}

async function findPage(
  context: ServiceContext,
  content: SearchCursor,
  start: SearchPosition | null,
): Promise<FoundHits> {
  const query = toQuery(content);
  const sort = toSort(content.s, query);
  const wanted = content.n + 1;
  if (!maySee(context, query.kind)) return NOTHING_FOUND;
  const find = (from: SearchPosition | null, count: number) =>
    findFrom(context, query, { start: from, wanted: count });
  if (sort !== undefined) {
    const isOffset = start !== null && "offset" in start;
    return findSorted({
      sort,
      find: (count) => find(null, count),
      offset: isOffset ? start.offset : 0,
      after: isOffset ? undefined : content.a?.[0],
      wanted,
    });
  }
  const { a: after = [] } = content;
  const first = start === null && after.length > 0 ? await placeOf(context, query, after) : start;
  return find(first, wanted);
}

function toQuery({ t: kind, l: ledgers, q: terms, p: policy }: SearchCursor): SearchQuery {
  if (!isKind(kind)) {
    throw new AppError("VALIDATION", `target: expected one of ${KIND_NAMES.join(", ")}`);
  }
  return { kind, ledgers, policy, terms: terms.map(parseTerm) };
}

const SORT = /^([A-Za-z]{1,40}):(asc|desc)$/;

/** The order of a search; undefined for the order of the index. */
function toSort(text: string | undefined, { kind, ledgers }: SearchQuery): SearchSort | undefined {
  if (text === undefined) return undefined;
  const [, field = "", order = ""] = SORT.exec(text) ?? [];
  if (field === "") {
    throw new AppError(
      "VALIDATION",
      "sort: expected the name of a member and asc or desc, such as id:desc",
    );
  }
  // The index has the transactions of a ledger in this order.
  const isNewestFirst = kind === "TRANSACTION" && ledgers?.length === 1 && text === "id:desc";
  return isNewestFirst ? undefined : { field, order: order === "asc" ? "asc" : "desc" };
}

/** Finds the first hits of a kind that begin at a position. */
async function findFrom(
  context: ServiceContext,
  query: SearchQuery,
  { start, wanted }: { readonly start: SearchPosition | null; readonly wanted: number },
): Promise<FoundHits> {
  if (!maySee(context, query.kind)) return NOTHING_FOUND;
  if (KINDS[query.kind].home === "list") {
    const after = start !== null && "id" in start ? start.id : undefined;
    const listed = { ...query, kind: query.kind as ListedKind }; // its home says so
    return findListed(context, listed, { after, wanted });
  }
  const from = start !== null && "row" in start ? start : undefined;
  return findIndexed(context, query, { from, wanted });
}

/** The position of the last hit of a page that a client has read by itself. */
async function placeOf(
  { env }: ServiceContext,
  { kind, ledgers }: SearchQuery,
  [id = "", named]: readonly string[],
): Promise<SearchPosition> {
  const { home } = KINDS[kind];
  if (home === "list") return { id };
  const ledger = named ?? (ledgers?.length === 1 ? ledgers[0] : undefined);
  const isOfLedger = home === "ledger";
  if (isOfLedger && ledger === undefined) {
    throw new AppError("VALIDATION", "after: expected the id of the last hit and its ledger");
  }
  const isKey = kind !== "TRANSACTION" || /^\d{1,15}$/.test(id);
  const shard = shardOf(isOfLedger ? (ledger ?? "") : kind);
  const found = isKey
    ? await callShard(shardObject(env, shard).rowOf(kind, id, ledger ?? ""))
    : undefined;
  if (found === undefined) {
    throw new AppError(
      "VALIDATION",
      `after: the index has no ${kind} with the id '${id.slice(0, 80)}'`,
    );
  }
  const position: RowPosition = { shard, ...found };
  return position;
}
