import { ADDRESS_END } from "./account-paths.ts";
import { SegmentWalk } from "./segment-walk.ts";
import type { ReadContext } from "#ledger-engine/read/scan/context.ts";
import { compareBytes } from "#ledger-engine/rules/canonical.ts";
import { IMPORTED } from "#ledger-engine/rules/limits.ts";
import type { AccountSegment } from "#ledger-engine/rules/reads.ts";
import { AppError } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";
import { encodeCursor } from "#platform/paging/cursor.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { ColumnQuery, PageQuery } from "#platform/paging/query.ts";
import type { Sql } from "#platform/sql/sql.ts";
import { type Timestamp, toMicros } from "#platform/time.ts";

/** The accounts of a segment are counted up to this number. */
const COUNTED_MAX = 100;
/** The most segments that are looked at together. */
const SEGMENTS_MAX = 1000;
/** The most segments that are looked at together at a point in time, which reads rows of accounts. */
const PAST_SEGMENTS_MAX = 250;

/** The limits of reads at a point in time. */
export interface PastLimits {
  /** If at most this many accounts existed, all of them are read. */
  readonly few: number;
  /** The number of accounts of each segment whose first usage is read at once. */
  readonly triedFirst: number;
  /** The most accounts, about, whose first usage one part of a page reads. */
  readonly tried: number;
}

const LIMITS: PastLimits = { few: 10_000, triedFirst: 20, tried: 5000 };

/**
 * Lists the segments of one level of the tree that the addresses of accounts make, in byte order:
 *
 *     world                      level ""          level "users:"        level "users:42:"
 *     users:42                   users             42                    main
 *     users:42:main              world             43                    savings
 *     users:42:savings
 *     users:43:main
 *
 * At a point in time, a segment is listed if one of its accounts had been used by then. No index tells that, so that accounts are tested one
 * by one until one of each segment passes; a page that tests many is read in parts. If few accounts existed, they are all read instead.
 */
export class AccountTree {
  readonly #sql: Sql;
  readonly #limits: PastLimits;

  constructor({ sql }: Pick<ReadContext, "sql">, limits = LIMITS) {
    this.#sql = sql;
    this.#limits = limits;
  }

  /** Throws `VALIDATION` for a prefix that no address can have, and for a page that this list cannot have given. */
  list(query: PageQuery): Page<AccountSegment> {
    const level = levelOf(query);
    const { pit } = level.query;
    if (pit === undefined) return this.#present(level);
    return this.#areFew(pit) ? this.#fewAt(level, pit) : this.#at(level, pit);
  }

  #present({ query, ...level }: Level): Page<AccountSegment> {
    const limit = wantedOf(query) + 1;
    const walk = new SegmentWalk(this.#sql, level);
    const found: AccountSegment[] = [];
    while (found.length < limit) {
      const addresses = walk.next(Math.min(limit - found.length, SEGMENTS_MAX));
      if (addresses.length === 0) break;
      for (const row of this.#sql.all<PresentSqlRow>(PRESENT, stringifyJson(addresses))) {
        const { address, own, below } = row;
        const total = own + below;
        if (total === 0) continue;
        const counted = below > COUNTED_MAX ? {} : { accounts: total };
        found.push({
          ...segmentAt(level.prefix, address, { isAccount: own > 0, hasChildren: below > 0 }),
          ...counted,
        });
      }
    }
    return pageOf(query, found, undefined);
  }

  #areFew(pit: Timestamp): boolean {
    const micros = toMicros(pit).toString();
    return this.#sql.all(IS_ABOVE, micros, this.#limits.few).length === 0;
  }

  /** A page of the segments of few accounts. */
  #fewAt({ query, prefix, from, below }: Level, pit: Timestamp): Page<AccountSegment> {
    const rows = this.#sql.all<AddressSqlRow>(USED, toMicros(pit).toString(), prefix, below);
    const segments = new Map<string, { isAccount: boolean; hasChildren: boolean }>();
    for (const { address } of rows) {
      const end = address.indexOf(":", prefix.length);
      const name = end === -1 ? address : address.slice(0, end);
      const known = segments.get(name) ?? { isAccount: false, hasChildren: false };
      if (end === -1) known.isAccount = true;
      else known.hasChildren = true;
      segments.set(name, known);
    }
    const start = addressOfStart(prefix, from);
    const found = [...segments.keys()]
      .filter((address) => compareBytes(address, start) >= 0)
      .toSorted(compareBytes)
      .slice(0, wantedOf(query) + 1)
      .map((address) => {
        const { isAccount = false, hasChildren = false } = segments.get(address) ?? {};
        return segmentAt(prefix, address, { isAccount, hasChildren });
      });
    return pageOf(query, found, undefined);
  }

  /** A page at a point in time, or a part of it if many accounts have to be tested. */
  #at({ query, ...level }: Level, pit: Timestamp): Page<AccountSegment> {
    const limit = wantedOf(query) + 1;
    const { prefix, from } = level;
    const start = addressOfStart(prefix, from);
    const walk = new SegmentWalk(this.#sql, { ...level, from: start });
    const found: AccountSegment[] = [];
    const { tried: triedMax, triedFirst } = this.#limits;
    let left = triedMax;
    for (let size = limit; found.length < limit; size = 2 * size) {
      const addresses = walk.next(Math.min(size, PAST_SEGMENTS_MAX));
      if (addresses.length === 0) break;
      const rows = this.#sql.all<PastSqlRow>(
        PAST,
        stringifyJson(addresses),
        pitText(pit),
        triedFirst,
      );
      for (const { address, own, tried, used } of rows) {
        if (left <= 0) return pageOf(query, found, address);
        left -= tried + 1;
        let hasChildren = used > 0;
        if (!hasChildren && tried === triedFirst) {
          // The search below the segment at which the part before ended goes on where it was.
          const first = address === start && from !== start ? from : `${address}:`;
          const search = this.#search(
            { from: first, below: `${address};` },
            pit,
            Math.max(left, 1),
          );
          left -= search.tried;
          if (search.stoppedAt !== undefined) return pageOf(query, found, search.stoppedAt);
          hasChildren = search.isFound;
        }
        const isAccount = own > 0;
        if (isAccount || hasChildren) {
          found.push(segmentAt(prefix, address, { isAccount, hasChildren }));
        }
        if (found.length >= limit) break;
      }
    }
    return pageOf(query, found, undefined);
  }

  /** Looks among the first `countMax` accounts of a range for one that had been used. */
  #search(
    { from, below }: { from: string; below: string },
    pit: Timestamp,
    countMax: number,
  ): { isFound: boolean; tried: number; stoppedAt?: string } {
    const range = [from, below];
    const isFound = this.#sql.all(FIRST_USED, ...range, pitText(pit), countMax).length > 0;
    if (isFound) return { isFound, tried: 1 };
    const [next] = this.#sql.all<AddressSqlRow>(AFTER, ...range, countMax);
    const stopped = next === undefined ? {} : { stoppedAt: next.address };
    return { isFound, tried: countMax, ...stopped };
  }
}

/** A level of the tree, and the page of it that is read. */
interface Level {
  readonly query: ColumnQuery;
  /** The beginning of all addresses below the level's parent: empty, or a text that ends with a colon. */
  readonly prefix: string;
  /** The first segment of the page by its address, or an address below it with which the search for a used account goes on. */
  readonly from: string;
  /** The end of the addresses that begin with the prefix. */
  readonly below: string;
}

function levelOf(query: PageQuery): Level {
  const text = `${query.options?.["prefix"] ?? ""}`;
  const prefix = text === "" || text.endsWith(":") ? text : `${text}:`;
  if (prefix.length > IMPORTED.addressLength + 1 || !isKey(prefix)) {
    throw new AppError("VALIDATION", "invalid prefix: no address begins with it");
  }
  if (query.kind !== "column" || query.reverse || query.order !== "asc") throw foreignCursor();
  const from = `${query.start?.value ?? prefix}`;
  const isWithin = from.startsWith(prefix) && from.length <= IMPORTED.addressLength;
  if (!isWithin || !isKey(from) || query.where !== undefined) throw foreignCursor();
  const below = prefix === "" ? ADDRESS_END : `${prefix.slice(0, -1)};`;
  return { query, prefix, from, below };
}

const foreignCursor = (): AppError =>
  new AppError("VALIDATION", "invalid 'cursor' query param: it belongs to another list");

/** Whether a text can be compared with addresses: SQL would end it at U+0000, and a lone surrogate has no bytes. */
const isKey = (text: string): boolean => text.isWellFormed() && !text.includes("\u0000");

/** The address of the segment with which a page begins. */
function addressOfStart(prefix: string, from: string): string {
  const end = from.indexOf(":", prefix.length);
  return end === -1 ? from : from.slice(0, end);
}

/** What is at an address and below it. */
interface Found {
  readonly isAccount: boolean;
  readonly hasChildren: boolean;
}

const segmentAt = (prefix: string, address: string, found: Found): AccountSegment => ({
  segment: address.slice(prefix.length),
  address,
  prefix: `${address}:`,
  ...found,
});

const wantedOf = ({ wanted, pageSize }: ColumnQuery): number => wanted ?? pageSize;

/** The page of the segments that were found: one more than the page holds, or those before `stoppedAt`. */
function pageOf(
  query: ColumnQuery,
  found: readonly AccountSegment[],
  stoppedAt: string | undefined,
): Page<AccountSegment> {
  const wanted = wantedOf(query);
  const data = found.slice(0, wanted);
  const value = found[wanted]?.address ?? stoppedAt;
  const isPart = found.length <= wanted && stoppedAt !== undefined;
  if (value === undefined) return { pageSize: query.pageSize, hasMore: false, data };
  const { wanted: _, ...whole } = query;
  const next = { ...whole, start: { value } };
  return {
    pageSize: query.pageSize,
    hasMore: true,
    next: encodeCursor(next),
    data,
    ...(isPart && data.length < wanted ? { rest: { ...next, wanted: wanted - data.length } } : {}),
  };
}

const pitText = (pit: Timestamp): string => toMicros(pit).toString();

type AddressSqlRow = { address: string };
type PresentSqlRow = { address: string; own: number; below: number };
type PastSqlRow = { address: string; own: number; tried: number; used: number };

/** The accounts below a segment: `;` is the character after `:`. */
const BELOW =
  "FROM account WHERE address >= segments.value || ':' AND address < segments.value || ';'";

/** The numbers of accounts at and below each segment of a list; `below` is one above the limit if there are more. */
const PRESENT = `SELECT segments.value AS address,
    EXISTS (SELECT 1 FROM account WHERE address = segments.value) AS own,
    (SELECT count(*) FROM (SELECT 1 ${BELOW} LIMIT ${COUNTED_MAX + 1})) AS below
  FROM json_each(?) AS segments ORDER BY segments.key`;

/** Whether each segment of a list had been used as an account, how many of the first accounts below it were tried, and whether one of them had been used. */
const PAST = `SELECT segments.value AS address,
    EXISTS (SELECT 1 FROM account WHERE address = segments.value AND first_usage <= CAST(?2 AS INTEGER)) AS own,
    (SELECT count(*) FROM (SELECT 1 ${BELOW} LIMIT ?3 + 0)) AS tried,
    EXISTS (SELECT 1 FROM (SELECT first_usage ${BELOW} ORDER BY address LIMIT ?3 + 0)
      WHERE first_usage <= CAST(?2 AS INTEGER)) AS used
  FROM json_each(?1) AS segments ORDER BY segments.key`;

/** The inner limit bounds the accounts that are tested. */
const FIRST_USED = `SELECT 1 FROM (SELECT first_usage FROM account WHERE address >= ?1 AND address < ?2 ORDER BY address LIMIT ?4 + 0)
  WHERE first_usage <= CAST(?3 AS INTEGER) LIMIT 1`;
const AFTER =
  "SELECT address FROM account WHERE address >= ? AND address < ? ORDER BY address LIMIT 1 OFFSET ? + 0";

const IS_ABOVE =
  "SELECT 1 FROM account WHERE first_usage <= CAST(? AS INTEGER) LIMIT 1 OFFSET ? + 0";
/** The unary plus keeps SQLite from the index on addresses. */
const USED = `SELECT address FROM account
  WHERE first_usage <= CAST(?1 AS INTEGER) AND +address >= ?2 AND +address < ?3`;
