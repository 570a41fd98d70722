import type { AccountScanRow } from "./account-filter.ts";
import {
  type AccountPath,
  ADDRESS_END,
  type DateRange,
  pathsOf,
  type SortedRange,
} from "./account-paths.ts";
import type { Condition } from "./account-sift.ts";
import { type AccountColumn, KEY_FIELDS, ScanReader, type WalkedFields } from "./scan-reader.ts";
import type { LedgerFilter } from "#ledger-engine/rules/filters/filters.ts";
import { lastAccountAt } from "#ledger-engine/storage/ids-by-date.ts";
import type { Scan } from "#platform/paging/pagination.ts";
import type { Order, PageKey } from "#platform/paging/query.ts";
import type { Sql } from "#platform/sql/sql.ts";
import { MICROS_MAX, MICROS_MIN } from "#platform/time.ts";

/** An order of accounts, and the bound at which a walk starts; without a bound, it starts at the beginning. */
export interface AccountOrder {
  readonly column: AccountColumn;
  readonly order: Order;
  readonly bound?: Scan["bound"];
}

/**
 * An index scan: passes accounts in an order, by the index of the order's column. Each call continues after the call before.
 * `next` gives the accounts that are left or, with `ids`, only the accounts of a JSON list.
 */
export interface AccountWalk {
  next(limit: number, ids?: string): AccountScanRow[];
  /** Passes about `size` accounts, and gives those that meet a condition. `DateWalk` cannot, because its dates may be equal. */
  sift?(size: number, condition: Condition): Sifted;
  /** Passes about `size` accounts as `sift` does, and gives the condition of the accounts that were passed. Only an `AddressWalk` can. */
  pass?(size: number): Passed;
  /**
   * Continues behind a range of addresses that contains the last account of `sift` or `pass`. Tells whether all accounts of that call are in the
   * range. Only an `AddressWalk` can.
   */
  skip?(range: SortedRange): boolean;
  /** The ids of a JSON list in the order of the walk. */
  sorted(ids: string): number[];
}

/** A step of a walk. */
export interface WalkStep {
  /** The number of accounts that were passed; at the end of a range, there may be fewer. */
  readonly passed: number;
  /** The last account that was passed; at the end of a range, the last one that was read, if any was. */
  readonly last: AccountScanRow | undefined;
  readonly isEnd: boolean;
}

/** The result of `sift`. */
export interface Sifted extends WalkStep {
  readonly rows: AccountScanRow[];
}

/** The result of `pass`. */
export interface Passed extends WalkStep {
  /** The condition of the accounts that were passed; undefined if there are none. */
  readonly within: Condition | undefined;
}

/** Makes a walk within the range of a path, which must have the order of the walk. */
export function walkOf(
  sql: Sql,
  order: AccountOrder,
  walked: WalkedFields & { path: AccountPath | undefined },
): AccountWalk {
  const reader = new ScanReader(sql, order, walked);
  const { path } = walked;
  if (order.column === "address") {
    return new AddressWalk(reader, order, path?.kind === "addresses" ? path.ranges : EVERYWHERE);
  }
  const range = path?.kind === "dates" ? path : ANY_TIME;
  return order.column === "insertion_date"
    ? new IdWalk(reader, order, idsBetween(sql, range))
    : new DateWalk(reader, order, range);
}

const EVERY_ADDRESS: SortedRange = { from: "", below: ADDRESS_END };
export const EVERYWHERE: readonly SortedRange[] = [EVERY_ADDRESS];
const ANY_TIME: DateRange = { from: undefined, to: undefined };

/** The sort key of an account, for cursors. */
export function accountKey(column: AccountColumn, row: AccountScanRow): PageKey {
  if (column === "address") return { value: row.address ?? "" };
  return { value: BigInt(row[KEY_FIELDS[column]] ?? 0), tie: BigInt(row.id) };
}

/** An order in which the filter narrows the range, if there is one. */
export function orderOf(filter: LedgerFilter | undefined): AccountColumn {
  for (const path of pathsOf(filter)) {
    if (path.kind === "addresses") return "address";
    if (path.kind === "dates") return path.column;
  }
  return "insertion_date";
}

/** Walks by address, through ranges that do not overlap. */
export class AddressWalk implements AccountWalk {
  readonly #reader: ScanReader;
  readonly #isAscending: boolean;
  #rest: readonly SortedRange[];
  /** The addresses from the beginning of the last `sift` on. */
  #sifted: SortedRange = EVERY_ADDRESS;

  constructor(reader: ScanReader, { order, bound }: AccountOrder, ranges: readonly SortedRange[]) {
    this.#reader = reader;
    this.#isAscending = order === "asc";
    this.#rest = this.#isAscending ? ranges : ranges.toReversed();
    if (bound !== undefined) this.#goTo(bound.key.value.toString(), bound.inclusive);
  }

  sorted(ids: string): number[] {
    return this.#reader.sorted(ids);
  }

  next(limit: number, ids?: string): AccountScanRow[] {
    return ids === undefined ? this.#walk(limit) : this.#pick(limit, ids);
  }

  #walk(limit: number): AccountScanRow[] {
    const rows: AccountScanRow[] = [];
    while (rows.length < limit) {
      const [range] = this.#rest;
      if (range === undefined) break;
      const found = this.#reader.read(within(range), limit - rows.length);
      rows.push(...found);
      if (rows.length < limit) this.#rest = this.#rest.slice(1);
    }
    this.#passOver(rows);
    return rows;
  }

  #pick(limit: number, ids: string): AccountScanRow[] {
    const ranges = this.#isAscending ? this.#rest : this.#rest.toReversed();
    const [first, last] = [ranges[0], ranges.at(-1)];
    if (first === undefined || last === undefined) return [];
    const rows = this.#reader.read(within({ from: first.from, below: last.below }), limit, ids);
    this.#passOver(rows);
    return rows;
  }

  sift(size: number, condition: Condition): Sifted {
    const { within: range, ...step } = this.pass(size);
    const rows = range === undefined ? [] : this.#reader.readAll(range, condition);
    return { ...step, rows, last: step.last ?? rows.at(-1) };
  }

  pass(size: number): Passed {
    const [range] = this.#rest;
    if (range === undefined) return { within: undefined, passed: 0, last: undefined, isEnd: true };
    this.#sifted = range;
    const last = this.#reader.at(within(range), size - 1);
    if (last?.address === undefined) this.#rest = this.#rest.slice(1);
    else this.#goTo(last.address, false);
    return {
      within: within(passedOf(range, last, this.#isAscending)),
      passed: size,
      last,
      isEnd: this.#rest.length === 0,
    };
  }

  skip({ from, below }: SortedRange): boolean {
    const sifted = this.#sifted;
    const before = this.#isAscending
      ? { from: sifted.from, below: from }
      : { from: below, below: sifted.below };
    this.#goToEdge(this.#isAscending ? below : from);
    return before.from >= before.below || this.#reader.at(within(before), 0) === undefined;
  }

  #passOver(rows: readonly AccountScanRow[]): void {
    const last = rows.at(-1)?.address;
    if (last !== undefined) this.#goTo(last, false);
  }

  /** Skips all addresses before an address in the order of the walk. */
  #goTo(address: string, isIncluded: boolean): void {
    this.#goToEdge(this.#isAscending === isIncluded ? address : behind(address));
  }

  /** Leaves only the addresses from an edge on or, in descending order, below it. */
  #goToEdge(edge: string): void {
    const rest = this.#rest.map(({ from, below }) =>
      this.#isAscending
        ? { from: edge > from ? edge : from, below }
        : { from, below: edge < below ? edge : below },
    );
    this.#rest = rest.filter(({ from, below }) => from < below);
  }
}

/** The text directly after an address: no address contains a character as low as U+0001. */
const behind = (address: string): string => `${address}\u0001`;

/** The part of a range from its beginning to the last account that was passed. */
function passedOf(
  { from, below }: SortedRange,
  last: AccountScanRow | undefined,
  isAscending: boolean,
): SortedRange {
  if (last?.address === undefined) return { from, below };
  return isAscending ? { from, below: behind(last.address) } : { from: last.address, below };
}

const within = ({ from, below }: SortedRange): Condition => ({
  where: "address >= ? AND address < ?",
  bindings: [from, below],
});

/** Walks by date of insertion, which is the order of ids. */
class IdWalk implements AccountWalk {
  readonly #reader: ScanReader;
  readonly #isAscending: boolean;
  #from: number;
  #to: number;

  constructor(
    reader: ScanReader,
    { order, bound }: AccountOrder,
    { from, to }: { from: number; to: number },
  ) {
    this.#reader = reader;
    this.#isAscending = order === "asc";
    [this.#from, this.#to] = [from, to];
    if (bound !== undefined) this.#goTo(Number(bound.key.tie ?? 0n), bound.inclusive);
  }

  sorted(ids: string): number[] {
    return this.#reader.sorted(ids);
  }

  next(limit: number, ids?: string): AccountScanRow[] {
    const range = { where: "account.id BETWEEN ? AND ?", bindings: [this.#from, this.#to] };
    const rows = this.#reader.read(range, limit, ids);
    const last = rows.at(-1);
    if (last !== undefined) this.#goTo(last.id, false);
    return rows;
  }

  sift(size: number, condition: Condition): Sifted {
    const where = "account.id BETWEEN ? AND ?";
    const [from, to] = [this.#from, this.#to];
    const last = this.#reader.at({ where, bindings: [from, to] }, size - 1);
    const bindings = this.#isAscending ? [from, last?.id ?? to] : [last?.id ?? from, to];
    if (last !== undefined) this.#goTo(last.id, false);
    const rows = this.#reader.readAll({ where, bindings }, condition);
    return { rows, passed: size, last: last ?? rows.at(-1), isEnd: last === undefined };
  }

  #goTo(id: number, isIncluded: boolean): void {
    if (this.#isAscending) this.#from = Math.max(this.#from, isIncluded ? id : id + 1);
    else this.#to = Math.min(this.#to, isIncluded ? id : id - 1);
  }
}

/** An edge of a walk by date: the account with this date and id is included. */
interface DateEdge {
  readonly micros: bigint;
  readonly id: number;
}

/** Walks by a date that accounts may share: first usage or last update. Accounts with equal dates come by id. */
class DateWalk implements AccountWalk {
  readonly #reader: ScanReader;
  readonly #isAscending: boolean;
  readonly #column: AccountColumn;
  #from: DateEdge;
  #to: DateEdge;

  constructor(reader: ScanReader, { column, order, bound }: AccountOrder, range: DateRange) {
    this.#reader = reader;
    this.#isAscending = order === "asc";
    this.#column = column;
    this.#from = { micros: range.from ?? MICROS_MIN, id: 0 };
    this.#to = { micros: range.to ?? MICROS_MAX, id: ID_MAX };
    if (bound === undefined) return;
    const { value, tie = 0n } = bound.key;
    this.#goTo({ micros: BigInt(value), id: Number(tie) }, bound.inclusive);
  }

  sorted(ids: string): number[] {
    return this.#reader.sorted(ids);
  }

  /**
   * Reads the rest of the current date first, by a range of ids: an index can find a position among equal dates only with
   * an equality on the date.
   */
  next(limit: number, ids?: string): AccountScanRow[] {
    const [from, to] = [this.#from, this.#to];
    const edge = this.#isAscending ? from : to;
    const equal = `${this.#column} = CAST(? AS INTEGER) AND account.id BETWEEN ? AND ?`;
    const rows =
      from.micros > to.micros
        ? []
        : this.#reader.read(
            {
              where: equal,
              bindings: [
                edge.micros.toString(),
                this.#isAscending || from.micros === to.micros ? from.id : 0,
                !this.#isAscending || from.micros === to.micros ? to.id : ID_MAX,
              ],
            },
            limit,
            ids,
          );
    if (rows.length < limit && from.micros < to.micros) {
      rows.push(...this.#beyond(limit - rows.length, ids));
    }
    const last = rows.at(-1);
    if (last !== undefined) this.#goTo({ micros: this.#microsOf(last), id: last.id }, false);
    return rows;
  }

  #beyond(limit: number, ids?: string): AccountScanRow[] {
    const isAscending = this.#isAscending;
    const where = `${this.#column} ${isAscending ? ">" : ">="} CAST(? AS INTEGER)
      AND ${this.#column} ${isAscending ? "<=" : "<"} CAST(? AS INTEGER)`;
    const bindings = [this.#from.micros.toString(), this.#to.micros.toString()];
    return this.#reader.read({ where, bindings }, limit, ids);
  }

  #microsOf({ first, updated }: AccountScanRow): bigint {
    return BigInt((this.#column === "first_usage" ? first : updated) ?? 0);
  }

  #goTo({ micros, id }: DateEdge, isIncluded: boolean): void {
    if (this.#isAscending) {
      const edge = { micros, id: isIncluded ? id : id + 1 };
      if (compareEdges(edge, this.#from) > 0) this.#from = edge;
    } else {
      const edge = { micros, id: isIncluded ? id : id - 1 };
      if (compareEdges(edge, this.#to) < 0) this.#to = edge;
    }
  }
}

const ID_MAX = Number.MAX_SAFE_INTEGER;

const compareEdges = (a: DateEdge, b: DateEdge): number =>
  a.micros === b.micros ? a.id - b.id : a.micros < b.micros ? -1 : 1;

/** The range of ids of the accounts that were inserted between two dates. Dates of insertion never decrease with the ids. */
export function idsBetween(sql: Sql, { from, to }: DateRange): { from: number; to: number } {
  return {
    from: from === undefined ? 1 : lastAccountAt(sql, from - 1n) + 1,
    to: to === undefined ? ID_MAX : lastAccountAt(sql, to),
  };
}
