import { MovePath } from "./account-moves.ts";
import {
  dateRange,
  datesAllowed,
  isAllDates,
  type Range,
  rangeOf,
  rangeOfOthers,
} from "./date-ranges.ts";
import type { Side } from "./moves-by-role.ts";
import { referencesLike } from "./reference-path.ts";
import { DATE_COLUMNS, type DateColumn } from "./transaction-rows.ts";
import { AccountSet, type AddressTest } from "#ledger-engine/read/accounts/account-sets.ts";
import {
  ALL_IDS,
  EntryPath,
  FixedPath,
  type IdPath,
  intersection,
  NO_IDS,
  shortest,
  type Span,
  UnionPath,
  WithinPath,
} from "#ledger-engine/read/scan/id-scan.ts";
import type { FilterTest, LedgerFilter } from "#ledger-engine/rules/filters/filters.ts";
import { METADATA_SCOPES, metadataHash } from "#ledger-engine/storage/metadata-index.ts";
import type { TransactionReader } from "#ledger-engine/storage/transaction-reader.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Sql, SqlValue } from "#platform/sql/sql.ts";

/** Where the transactions are that can match a filter: in a span of ids, and on each of the paths. */
export interface Plan {
  readonly span: Span;
  readonly paths: readonly IdPath[];
  /** Whether all that are there match. */
  readonly isExact: boolean;
}

export interface PlanSources {
  readonly sql: Sql;
  readonly reader: TransactionReader;
  /** What the list is sorted by, in which a range of dates is read as such and needs no path. */
  readonly sortedBy?: DateColumn | undefined;
  /** Whether metadata is that of a point in time. */
  readonly isMetadataPast: boolean;
  /** Whether reverts may be hidden, as they came after a point in time. */
  readonly hidesReverts: boolean;
}

/** Where a part of a filter stands. */
interface FilterPlace {
  readonly isNegated: boolean;
  /** Whether nothing passes that does not pass this part. */
  readonly isTop: boolean;
}

/** Finds the indexes that lead to what a filter allows. */
export class TransactionPlanner {
  readonly #sources: PlanSources;
  /** The path to the transactions that have a reference; null where they are many. */
  #referenced: IdPath | null | undefined;

  constructor(sources: PlanSources) {
    this.#sources = sources;
  }

  plan(filter: LedgerFilter | undefined): Plan {
    return this.#planAll(filter === undefined ? [] : [filter], { isNegated: false, isTop: true });
  }

  #plan(filter: LedgerFilter, place: FilterPlace): Plan {
    switch (filter.kind) {
      case "not":
        return this.#plan(filter.filter, { ...place, isNegated: !place.isNegated });
      case "all":
      case "any":
        if (filter.filters.length === 0) return place.isNegated ? NEVER : ALWAYS;
        // Negated, all is any of the negations, and any is all of them.
        return (filter.kind === "all") === place.isNegated
          ? this.#planAny(filter.filters, { ...place, isTop: false })
          : this.#planParts(filter.filters, place);
      default:
        return this.#planTest(filter, place);
    }
  }

  /** The conditions on one date make one range together. */
  #planAll(filters: readonly LedgerFilter[], place: FilterPlace): Plan {
    const plan = this.#planParts(filters, place);
    const condition: LedgerFilter = { kind: place.isNegated ? "any" : "all", filters };
    // Where none is short, the first is taken: one in order, if there is any.
    let paths: readonly IdPath[] = plan.paths.toSorted((a, b) => orderRank(a) - orderRank(b));
    for (const column of DATE_COLUMNS) {
      const range = datesAllowed(condition, column, place.isNegated);
      const isSorted = place.isTop && column === this.#sources.sortedBy;
      if (!isAllDates(range) && !isSorted) paths = this.#alongDates(column, range, paths);
    }
    return { ...plan, paths, isExact: plan.isExact && paths.length <= 1 };
  }

  #planParts(filters: readonly LedgerFilter[], place: FilterPlace): Plan {
    const plans = filters.map((filter) => this.#plan(filter, place));
    return {
      span: plans.reduce((span, plan) => intersection(span, plan.span), ALL_IDS),
      paths: [...new Set(plans.flatMap(({ paths }) => paths))],
      isExact: plans.every(({ isExact }) => isExact),
    };
  }

  #planAny(filters: readonly LedgerFilter[], place: FilterPlace): Plan {
    const paths: IdPath[] = [];
    let isExact = true;
    for (const filter of filters) {
      const plan = this.#planAll([filter], place);
      const path = this.#pathOf(plan);
      if (path === undefined) return ANYTHING;
      paths.push(path);
      isExact &&= plan.isExact;
    }
    return { span: ALL_IDS, paths: [new UnionPath(paths)], isExact };
  }

  /** One path to what a plan leads to, unless that is everything. */
  #pathOf({ span, paths }: Plan): IdPath | undefined {
    const path = shortest(paths, span);
    const isBounded = span.from > ALL_IDS.from || span.to < ALL_IDS.to;
    if (!isBounded) return path;
    return path === undefined ? idsIn(this.#sources.sql, span) : new WithinPath(path, span);
  }

  #planTest(test: FilterTest, { isNegated }: FilterPlace): Plan {
    switch (test.kind) {
      case "number": {
        const range = (isNegated ? rangeOfOthers : rangeOf)(test.operator, test.value, IDS);
        if (range === undefined) return ANYTHING;
        // Beyond all ids, numbers would be too coarse to go on from.
        if (range.from > range.to) return NEVER;
        return { ...ALWAYS, span: { from: Number(range.from), to: Number(range.to) } };
      }
      case "date":
        return this.#planDate(test, isNegated);
      case "boolean":
        return test.value === isNegated ? ANYTHING : this.#planReverted();
      default: {
        const path = isNegated ? this.#findPathOfNot(test) : this.#findPath(test);
        if (path === undefined) return ANYTHING;
        const isExact = !isNegated && (test.kind === "text" || test.kind === "address");
        return this.#along(path, { isExact });
      }
    }
  }

  /** Dates of insertion never decrease with the id. The paths of the others are made of all conditions on them. */
  #planDate(test: Extract<FilterTest, { kind: "date" }>, isNegated: boolean): Plan {
    const range = dateRange(test, isNegated);
    if (test.key === "reverted_at") return this.#planRevertedIn(range);
    if (range === undefined) return ANYTHING;
    return test.key === "inserted_at" ? { ...ALWAYS, span: this.#insertedIn(range) } : ALWAYS;
  }

  /** Where there is no revert date, neither a test of it passes nor the negation of one. */
  #planRevertedIn(range: Range | undefined): Plan {
    if (range === undefined) return { ...this.#planReverted(), isExact: false };
    if (isAllDates(range)) return this.#planReverted();
    return this.#sources.hidesReverts ? ANYTHING : ALWAYS;
  }

  #planReverted(): Plan {
    return this.#along(this.#entries(REVERTED), { isExact: !this.#sources.hidesReverts });
  }

  /**
   * Paths to what has a date of its own, or that of its log entry, in a range. Nearly all of it was also inserted then: the
   * ids of these transactions are a span. The others are few: each path leads to them, too, besides its ids in the span.
   */
  #alongDates(column: DateColumn, range: Range, paths: readonly IdPath[]): readonly IdPath[] {
    const { lacking, having, outside } = DATES[column];
    const bindings = [range.from.toString(), range.to.toString()];
    const dated = this.#entries(having, bindings);
    if (lacking === undefined || outside === undefined) return [...paths, dated];
    const span = this.#insertedIn(range);
    const others = this.#entries(outside, [...bindings, span.from, span.to]);
    const undated = new WithinPath(this.#entries(lacking), span);
    const sizeOf = (within: Span) => (undated.size(within) ?? 0) + (dated.size(within) ?? 0);
    return [
      ...paths.map((path) => new UnionPath([new WithinPath(path, span), others])),
      ...paths,
      new UnionPath([idsIn(this.#sources.sql, span), others], sizeOf),
    ];
  }

  #findPath(test: FilterTest): IdPath | undefined {
    const { sql } = this.#sources;
    switch (test.kind) {
      case "text":
        return this.#withReferences(test.values);
      case "like":
        return referencesLike(sql, test.pattern);
      case "address":
      case "addressLike":
        return new MovePath(sql, new AccountSet(sql, test), sideOf(test));
      case "metadata":
        return this.#withPairs(test.name, test.values);
      case "metadataLike":
      case "metadataExists":
        return this.#entries(KEYS, [this.#scopes().at(-1) ?? 0, metadataHash(test.name)]);
      default:
        return undefined;
    }
  }

  /** Where there is no reference, the negation of a test of it does not pass either. */
  #findPathOfNot({ kind }: FilterTest): IdPath | undefined {
    if (kind !== "text" && kind !== "like") return undefined;
    if (this.#referenced === undefined) this.#referenced = this.#findReferenced();
    return this.#referenced ?? undefined;
  }

  #findReferenced(): IdPath | null {
    const path = referencesLike(this.#sources.sql, "%");
    return path.count(ALL_IDS, REFERENCES_RARE + 1) > REFERENCES_RARE ? null : path;
  }

  /** The ids of what was inserted in a range of dates, as these never decrease with the id. */
  #insertedIn({ from, to }: Range): Span {
    const { reader } = this.#sources;
    return { from: reader.lastIdAtMicros(from - 1n) + 1, to: reader.lastIdAtMicros(to) };
  }

  #withReferences(references: readonly string[]): IdPath {
    const rows = this.#sources.sql.all<{ id: number }>(
      "SELECT id FROM tx WHERE reference IN (SELECT value FROM json_each(?))",
      stringifyJson(references),
    );
    return new FixedPath(rows.map(({ id }) => id));
  }

  /** Those that have a pair of metadata, or had it once if the past counts. */
  #withPairs(name: string, values: readonly string[]): IdPath {
    const key = metadataHash(name);
    const paths = [...new Set(values)].flatMap((value) =>
      this.#scopes().map((scope) => this.#entries(PAIR, [scope, key, metadataHash(value)])),
    );
    const [first, ...others] = paths;
    return first !== undefined && others.length === 0 ? first : new UnionPath(paths);
  }

  #scopes(): number[] {
    const { TRANSACTION, TRANSACTION_PAST } = METADATA_SCOPES;
    return this.#sources.isMetadataPast ? [TRANSACTION, TRANSACTION_PAST] : [TRANSACTION];
  }

  #entries(entries: PathEntries, bindings: readonly SqlValue[] = []): IdPath {
    return new EntryPath(this.#sources.sql, { ...entries, bindings });
  }

  #along(path: IdPath, { isExact = true } = {}): Plan {
    return { span: ALL_IDS, paths: [path], isExact };
  }
}

/** Looking at so many references takes about as long as a page; where there are more, rows are tried as they come. */
const REFERENCES_RARE = 20_000;

const orderRank = ({ isOrdered }: IdPath): number => (isOrdered ? 0 : 1);

/** All ids of a span. */
export const idsIn = (sql: Sql, span: Span): IdPath =>
  new WithinPath(new EntryPath(sql, { ...IN_SPAN, bindings: [] }), span);

const ALWAYS: Plan = { span: ALL_IDS, paths: [], isExact: true };
const ANYTHING: Plan = { ...ALWAYS, isExact: false };
const NEVER: Plan = { ...ALWAYS, span: NO_IDS };

const IDS: Range = { from: BigInt(ALL_IDS.from), to: BigInt(ALL_IDS.to) };

type PathEntries = Omit<ConstructorParameters<typeof EntryPath>[1], "bindings">;

const byId = (from: string): PathEntries => ({ from, column: "id", isOrdered: true });
const ofMost = (from: string): PathEntries => ({ ...byId(from), isDense: true });
const byOther = (from: string): PathEntries => ({ from, column: "id", isOrdered: false });
const byDate = (index: string, column: string, more = ""): PathEntries =>
  byOther(
    `FROM tx INDEXED BY ${index} WHERE ${column} IS NOT NULL
      AND ${column} >= CAST(? AS INTEGER) AND ${column} <= CAST(? AS INTEGER) ${more}`,
  );

/** The transactions that have the date of their log entry; those with one of their own in a range; the latter outside of a span. */
interface DateEntries {
  readonly lacking?: PathEntries;
  readonly having: PathEntries;
  readonly outside?: PathEntries;
}

const entriesBy = (index: string, column: string): DateEntries => ({
  lacking: ofMost(`FROM tx WHERE ${column} IS NULL`),
  having: byDate(index, column),
  outside: byDate(index, column, "AND (id < ? OR id > ?)"),
});

const IN_SPAN = ofMost("FROM tx WHERE true");
const REVERTED = byId("FROM tx INDEXED BY tx_reverted_id WHERE reverted_at IS NOT NULL");
const DATES: Readonly<Record<DateColumn, DateEntries>> = {
  timestamp: entriesBy("tx_dated", "timestamp"),
  updated_at: entriesBy("tx_updated", "updated_at"),
  reverted_at: { having: byDate("tx_reverted", "reverted_at") },
};
const PAIR: PathEntries = {
  from: "FROM metadata_index WHERE scope = ? AND key = ? AND value = ?",
  column: "target",
  isOrdered: true,
};
const KEYS: PathEntries = {
  from: "FROM metadata_index WHERE scope IN (0, ?) AND key = ?",
  column: "target",
  isOrdered: false,
  mayRepeat: true,
};

const sideOf = ({ key }: AddressTest): Side | undefined =>
  key === "source" || key === "destination" ? key : undefined;
