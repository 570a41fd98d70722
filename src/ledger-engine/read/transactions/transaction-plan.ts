import { MoveScan } from "./account-moves.ts";
import {
  dateRange,
  datesAllowed,
  type IntegerRange,
  isAllDates,
  rangeOf,
  rangeOfOthers,
} from "./date-ranges.ts";
import type { Side } from "./moves-by-role.ts";
import { referencesLike } from "./reference-scan.ts";
import { TRANSACTION_DATE_COLUMNS, type TransactionDateColumn } from "./transaction-rows.ts";
import type { AccountSet, AddressTest } from "#ledger-engine/read/accounts/account-sets.ts";
import {
  ALL_IDS,
  BoundedScan,
  IdList,
  type IdRange,
  type IdScan,
  IndexScan,
  intersection,
  MATERIALIZED_MAX,
  NO_IDS,
  shortest,
  UnionScan,
} from "#ledger-engine/read/scan/id-scan.ts";
import { type RangeOptions, RangeScan } from "#ledger-engine/read/scan/range-scan.ts";
import type { FilterTest, LedgerFilter } from "#ledger-engine/rules/filters/filters.ts";
import { METADATA_SCOPES, metadataHash } from "#ledger-engine/storage/metadata-index.ts";
import type { TransactionReader } from "#ledger-engine/storage/transaction-reader.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import type { Sql, SqlValue } from "#platform/sql/sql.ts";

/**
 * The access paths of a filter. All transactions that may match have ids in the range, and each scan alone gives all of
 * these ids:
 *
 *     all: inserted_at ≥ d, account users:1, metadata[a] = x   ─►   range 500…∞, scans: moves of users:1, pairs (a, x)
 */
export interface Plan {
  readonly range: IdRange;
  readonly scans: readonly IdScan[];
  /** Whether all transactions of the range and the scan match. */
  readonly isExact: boolean;
}

export interface PlanSources {
  readonly sql: Sql;
  readonly reader: TransactionReader;
  /** The number of assets of the ledger. */
  readonly assets: number;
  /** The accounts whose addresses pass a test. */
  readonly accountsOf: (test: AddressTest) => AccountSet;
  /** The date by which the list is sorted. A range of this date is a part of the list and needs no scan. */
  readonly sortedBy?: TransactionDateColumn | undefined;
  /** Whether filters test the metadata of a point in time. */
  readonly isMetadataPast: boolean;
  /** Whether there is a point in time, after which reverts don't count. */
  readonly hidesReverts: boolean;
}

/** The position of a part in its filter. */
interface FilterContext {
  readonly isNegated: boolean;
  /** Whether every match must pass the part. */
  readonly isTop: boolean;
}

/** Finds the access paths to the transactions that a filter allows. */
export class TransactionPlanner {
  readonly #sources: PlanSources;
  /** The scan of the transactions that have a reference; null if there are many, undefined until it is needed. */
  #referenced: IdScan | null | undefined;

  constructor(sources: PlanSources) {
    this.#sources = sources;
  }

  plan(filter: LedgerFilter | undefined): Plan {
    return this.#planAll(filter === undefined ? [] : [filter], { isNegated: false, isTop: true });
  }

  #plan(filter: LedgerFilter, context: FilterContext): Plan {
    switch (filter.kind) {
      case "not":
        return this.#plan(filter.filter, { ...context, isNegated: !context.isNegated });
      case "all":
      case "any":
        if (filter.filters.length === 0) return context.isNegated ? NEVER : ALWAYS;
        // De Morgan: a negated conjunction is the disjunction of the negations, and a negated disjunction their conjunction.
        return (filter.kind === "all") === context.isNegated
          ? this.#planAny(filter.filters, { ...context, isTop: false })
          : this.#planParts(filter.filters, context);
      default:
        return this.#planTest(filter, context);
    }
  }

  /** Joins conditions that must all hold. Conditions on one date become one range. */
  #planAll(filters: readonly LedgerFilter[], context: FilterContext): Plan {
    const plan = this.#planParts(filters, context);
    const condition: LedgerFilter = { kind: context.isNegated ? "any" : "all", filters };
    // If no scan is short, `shortest` takes the first one, so that scans in order come first.
    let scans: readonly IdScan[] = plan.scans.toSorted((a, b) => orderRank(a) - orderRank(b));
    for (const column of TRANSACTION_DATE_COLUMNS) {
      const dates = datesAllowed(condition, column, context.isNegated);
      const isSorted = context.isTop && column === this.#sources.sortedBy;
      if (!isAllDates(dates) && !isSorted) scans = this.#alongDates(column, dates, scans);
    }
    return { ...plan, scans, isExact: plan.isExact && scans.length <= 1 };
  }

  #planParts(filters: readonly LedgerFilter[], context: FilterContext): Plan {
    const plans = filters.map((filter) => this.#plan(filter, context));
    return {
      range: plans.reduce((range, plan) => intersection(range, plan.range), ALL_IDS),
      scans: [...new Set(plans.flatMap(({ scans }) => scans))],
      isExact: plans.every(({ isExact }) => isExact),
    };
  }

  #planAny(filters: readonly LedgerFilter[], context: FilterContext): Plan {
    const scans: IdScan[] = [];
    let isExact = true;
    for (const filter of filters) {
      const plan = this.#planAll([filter], context);
      const scan = this.#scanOfPlan(plan);
      if (scan === undefined) return ANYTHING;
      scans.push(scan);
      isExact &&= plan.isExact;
    }
    return { range: ALL_IDS, scans: [new UnionScan(scans)], isExact };
  }

  /** One scan of all transactions of a plan; undefined if the plan does not narrow them. */
  #scanOfPlan({ range, scans }: Plan): IdScan | undefined {
    const scan = shortest(scans, range);
    const isBounded = range.from > ALL_IDS.from || range.to < ALL_IDS.to;
    if (!isBounded) return scan;
    return scan === undefined ? scanOfIds(this.#sources.sql, range) : new BoundedScan(scan, range);
  }

  #planTest(test: FilterTest, { isNegated }: FilterContext): Plan {
    switch (test.kind) {
      case "number": {
        const dates = (isNegated ? rangeOfOthers : rangeOf)(test.operator, test.value, IDS);
        if (dates === undefined) return ANYTHING;
        // An empty range lies beyond all ids, and its bounds may be inexact as numbers.
        if (dates.from > dates.to) return NEVER;
        return { ...ALWAYS, range: { from: Number(dates.from), to: Number(dates.to) } };
      }
      case "date":
        return this.#planDate(test, isNegated);
      case "boolean":
        return test.value === isNegated ? ANYTHING : this.#planReverted();
      default: {
        const scan = isNegated ? this.#scanOfNegation(test) : this.#scanOf(test);
        if (scan === undefined) return ANYTHING;
        const isExact = !isNegated && (test.kind === "text" || test.kind === "address");
        return this.#along(scan, { isExact });
      }
    }
  }

  /**
   * Dates of insertion never decrease with the ids, so that a condition on them is a range of ids. Conditions on other
   * dates become scans in `#planAll`, which joins all conditions on a date.
   */
  #planDate(test: Extract<FilterTest, { kind: "date" }>, isNegated: boolean): Plan {
    const dates = dateRange(test, isNegated);
    if (test.key === "reverted_at") return this.#planRevertedIn(dates);
    if (dates === undefined) return ANYTHING;
    return test.key === "inserted_at" ? { ...ALWAYS, range: this.#insertedIn(dates) } : ALWAYS;
  }

  /** A transaction without a date of its revert passes neither a test of this date nor the negation of the test. */
  #planRevertedIn(dates: IntegerRange | undefined): Plan {
    if (dates === undefined) return { ...this.#planReverted(), isExact: false };
    if (isAllDates(dates)) return this.#planReverted();
    return this.#sources.hidesReverts ? ANYTHING : ALWAYS;
  }

  #planReverted(): Plan {
    return this.#along(this.#indexScan(REVERTED), { isExact: !this.#sources.hidesReverts });
  }

  /**
   * Scans of the transactions whose date, their own or that of their log entry, is in a range of dates. Nearly all of them
   * were also inserted within these dates, so that their ids are in a range of ids. Few transactions are outside. Each given
   * scan is narrowed to the range and the ids outside.
   */
  #alongDates(
    column: TransactionDateColumn,
    dates: IntegerRange,
    scans: readonly IdScan[],
  ): readonly IdScan[] {
    const { undated, dated, outside } = DATES[column];
    const bindings = [dates.from.toString(), dates.to.toString()];
    const datedScan = this.#indexScan(dated, bindings);
    if (undated === undefined || outside === undefined) return [...scans, datedScan];
    const range = this.#insertedIn(dates);
    const undatedScan = new BoundedScan(this.#indexScan(undated), range);
    const sizeOf = (within: IdRange) =>
      (undatedScan.size(within) ?? 0) + (datedScan.size(within) ?? 0);
    const few = this.#fewOutside(dated, bindings, range);
    const others =
      few === undefined
        ? this.#indexScan(outside, [...bindings, range.from, range.to])
        : new IdList(few);
    const isRange = few?.length === 0;
    return [
      ...scans.map((scan) => {
        const bounded = new BoundedScan(scan, range);
        return isRange ? bounded : new UnionScan([bounded, others]);
      }),
      ...scans,
      few === undefined
        ? new UnionScan([scanOfIds(this.#sources.sql, range), others], sizeOf)
        : scanOfIds(this.#sources.sql, range, { others: few, sizeOf }),
    ];
  }

  /** The dated transactions outside of a range of ids; undefined if there are many dated transactions. */
  #fewOutside(
    { from, column }: IndexEntries,
    bindings: readonly SqlValue[],
    range: IdRange,
  ): number[] | undefined {
    const [row] = this.#sources.sql.all<{ count: number; outside: string }>(
      `SELECT count(*) AS count, json_group_array(id) FILTER (WHERE id < ? OR id > ?) AS outside
        FROM (SELECT ${column} AS id ${from} LIMIT ? + 0)`,
      range.from,
      range.to,
      ...bindings,
      MATERIALIZED_MAX + 1,
    );
    if (row === undefined || row.count > MATERIALIZED_MAX) return undefined;
    return parseJson(row.outside) as number[]; // the statement lists ids
  }

  #scanOf(test: FilterTest): IdScan | undefined {
    const { sql } = this.#sources;
    switch (test.kind) {
      case "text":
        return this.#withReferences(test.values);
      case "like":
        return referencesLike(sql, test.pattern);
      case "address":
      case "addressLike":
        return new MoveScan(this.#sources, this.#sources.accountsOf(test), sideOf(test));
      case "metadata":
        return this.#withPairs(test.name, test.values);
      case "metadataLike":
      case "metadataExists":
        return this.#indexScan(KEYS, [this.#scopes().at(-1) ?? 0, metadataHash(test.name)]);
      default:
        return undefined;
    }
  }

  /** Scans the transactions with a reference: one without a reference does not pass the negation of a test either. */
  #scanOfNegation({ kind }: FilterTest): IdScan | undefined {
    if (kind !== "text" && kind !== "like") return undefined;
    if (this.#referenced === undefined) this.#referenced = this.#findReferenced();
    return this.#referenced ?? undefined;
  }

  /** If more than a few transactions have a reference, trying rows in order costs less than this scan. */
  #findReferenced(): IdScan | null {
    const scan = referencesLike(this.#sources.sql, "%").materialized();
    return scan.isOrdered ? scan : null;
  }

  /** The ids of the transactions that were inserted in a range of dates. Dates of insertion never decrease with the ids. */
  #insertedIn({ from, to }: IntegerRange): IdRange {
    const { reader } = this.#sources;
    return { from: reader.lastIdAtMicros(from - 1n) + 1, to: reader.lastIdAtMicros(to) };
  }

  #withReferences(references: readonly string[]): IdScan {
    const [reference] = references;
    const isOne = reference !== undefined && references.length === 1;
    const rows = this.#sources.sql.all<{ id: number }>(
      isOne ? BY_REFERENCE : BY_REFERENCES,
      isOne ? reference : stringifyJson(references),
    );
    return new IdList(rows.map(({ id }) => id));
  }

  /** The transactions that have a pair of metadata or, if past metadata counts, had it once. */
  #withPairs(name: string, values: readonly string[]): IdScan {
    const key = metadataHash(name);
    const scans = [...new Set(values)].flatMap((value) =>
      this.#scopes().map((scope) => this.#indexScan(PAIR, [scope, key, metadataHash(value)])),
    );
    const [first, ...others] = scans;
    return first !== undefined && others.length === 0 ? first : new UnionScan(scans);
  }

  #scopes(): number[] {
    const { TRANSACTION, TRANSACTION_PAST } = METADATA_SCOPES;
    return this.#sources.isMetadataPast ? [TRANSACTION, TRANSACTION_PAST] : [TRANSACTION];
  }

  #indexScan(entries: IndexEntries, bindings: readonly SqlValue[] = []): IdScan {
    return new IndexScan(this.#sources.sql, { ...entries, bindings });
  }

  #along(scan: IdScan, { isExact = true } = {}): Plan {
    return { range: ALL_IDS, scans: [scan], isExact };
  }
}

const BY_REFERENCE = "SELECT id FROM tx WHERE reference = ?";
const BY_REFERENCES = "SELECT id FROM tx WHERE reference IN (SELECT value FROM json_each(?))";

const orderRank = ({ isOrdered }: IdScan): number => (isOrdered ? 0 : 1);

/** A scan of all ids of a range, and of a few ids outside of it. */
export const scanOfIds = (sql: Sql, range: IdRange, options?: RangeOptions): IdScan =>
  new RangeScan(new IndexScan(sql, { ...IN_SPAN, bindings: [] }), range, options);

const ALWAYS: Plan = { range: ALL_IDS, scans: [], isExact: true };
const ANYTHING: Plan = { ...ALWAYS, isExact: false };
const NEVER: Plan = { ...ALWAYS, range: NO_IDS };

const IDS: IntegerRange = { from: BigInt(ALL_IDS.from), to: BigInt(ALL_IDS.to) };

type IndexEntries = Omit<ConstructorParameters<typeof IndexScan>[1], "bindings">;

const byId = (from: string): IndexEntries => ({ from, column: "id", isOrdered: true });
const ofMost = (from: string): IndexEntries => ({ ...byId(from), isDense: true });
const byOther = (from: string): IndexEntries => ({ from, column: "id", isOrdered: false });
const byDate = (index: string, column: string, more = ""): IndexEntries =>
  byOther(
    `FROM tx INDEXED BY ${index} WHERE ${column} IS NOT NULL
      AND ${column} >= CAST(? AS INTEGER) AND ${column} <= CAST(? AS INTEGER) ${more}`,
  );

/**
 * Index ranges by a date: the transactions without a date of their own, the transactions with a date of their own in a
 * range of dates, and the part of the latter outside of a range of ids.
 */
interface DateEntries {
  readonly undated?: IndexEntries;
  readonly dated: IndexEntries;
  readonly outside?: IndexEntries;
}

const entriesBy = (index: string, column: string): DateEntries => ({
  undated: ofMost(`FROM tx WHERE ${column} IS NULL`),
  dated: byDate(index, column),
  outside: byDate(index, column, "AND (id < ? OR id > ?)"),
});

const IN_SPAN = ofMost("FROM tx WHERE true");
const REVERTED = byId("FROM tx INDEXED BY tx_reverted_id WHERE reverted_at IS NOT NULL");
const DATES: Readonly<Record<TransactionDateColumn, DateEntries>> = {
  timestamp: entriesBy("tx_dated", "timestamp"),
  updated_at: entriesBy("tx_updated", "updated_at"),
  reverted_at: { dated: byDate("tx_reverted", "reverted_at") },
};
const PAIR: IndexEntries = {
  from: "FROM metadata_index WHERE scope = ? AND key = ? AND value = ?",
  column: "target",
  isOrdered: true,
};
const KEYS: IndexEntries = {
  from: "FROM metadata_index WHERE scope IN (0, ?) AND key = ?",
  column: "target",
  isOrdered: false,
  mayRepeat: true,
};

const sideOf = ({ key }: AddressTest): Side | undefined =>
  key === "source" || key === "destination" ? key : undefined;
