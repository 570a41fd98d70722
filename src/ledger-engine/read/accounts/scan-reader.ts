import { ACCOUNT_FIELDS, type AccountField, type AccountScanRow } from "./account-filter.ts";
import { ACCOUNT_DATE_COLUMNS } from "./account-paths.ts";
import type { Condition } from "./account-sift.ts";
import { SELECTED_COLUMNS } from "#ledger-engine/storage/account-rows.ts";
import { parseColumns } from "#platform/json.ts";
import type { Order } from "#platform/paging/query.ts";
import { first, type Sql, type SqlValue } from "#platform/sql/sql.ts";

/** The columns by which accounts are sorted. Equal dates are sorted by id. */
export const ACCOUNT_COLUMNS = ["address", ...ACCOUNT_DATE_COLUMNS] as const;
export type AccountColumn = (typeof ACCOUNT_COLUMNS)[number];

/** The fields that, with the id, make up an account's sort key in each order. */
export const KEY_FIELDS = {
  address: "address",
  first_usage: "first",
  insertion_date: "inserted",
  updated_at: "updated",
} as const satisfies Readonly<Record<AccountColumn, AccountField>>;

interface SortedBy {
  readonly column: AccountColumn;
  readonly order: Order;
}

/** The fields that a walk reads of each account. */
export interface WalkedFields {
  readonly fields: readonly AccountField[];
  /** The expression for the volumes (see `HELD_COLUMNS`), if they are read. */
  readonly held?: string | undefined;
  /** Whether long metadata may be left out. It requires that all fields are read, and that no filter tests the rows. */
  readonly isPartial?: boolean | undefined;
}

const columnsOf = (fields: readonly AccountField[]): string =>
  ["account.id", ...[...new Set(fields)].map((field) => SELECTED_COLUMNS[field])].join(", ");

const ALL_COLUMNS = columnsOf(ACCOUNT_FIELDS);
/** The columns for rows that no filter tests: only the sort keys. */
const KEY_COLUMNS: Readonly<Record<AccountColumn, string>> = {
  address: columnsOf([KEY_FIELDS.address]),
  first_usage: columnsOf([KEY_FIELDS.first_usage]),
  insertion_date: columnsOf([KEY_FIELDS.insertion_date]),
  updated_at: columnsOf([KEY_FIELDS.updated_at]),
};

/** Reads rows with the fields that a scan asks for. */
export class ScanReader {
  readonly #sql: Sql;
  readonly #columns: string;
  readonly #order: string;
  readonly #isPartial: boolean;
  readonly #hasVolumes: boolean;

  constructor(sql: Sql, { column, order }: SortedBy, { fields, held, isPartial }: WalkedFields) {
    this.#sql = sql;
    this.#isPartial = isPartial === true;
    this.#hasVolumes = held !== undefined;
    const columns = this.#isPartial
      ? ALL_COLUMNS
      : fields.length === 0
        ? KEY_COLUMNS[column]
        : columnsOf([KEY_FIELDS[column], ...fields]);
    this.#columns = held === undefined ? columns : `${columns}, ${held} AS held`;
    this.#order = `${column === "insertion_date" ? "" : `${column} ${order}, `}account.id ${order}`;
  }

  sorted(ids: string): number[] {
    const rows = this.#sql.all<{ id: number }>(
      `SELECT account.id FROM json_each(?) AS wanted CROSS JOIN account ON account.id = wanted.value ORDER BY ${this.#order}`,
      ids,
    );
    return rows.map(({ id }) => id);
  }

  /** The row at an index of a range, if there is one. */
  at({ where, bindings }: Condition, index: number): AccountScanRow | undefined {
    const [row] = this.#sql.all<AccountScanRow>(
      `SELECT ${this.#columns} FROM account WHERE ${where} ORDER BY ${this.#order} LIMIT 1 OFFSET ? + 0`,
      ...bindings,
      index,
    );
    return row;
  }

  /** The rows of a range that meet a condition. */
  readAll(range: Condition, condition: Condition): AccountScanRow[] {
    return this.#sql.all<AccountScanRow>(
      `SELECT ${this.#columns} FROM account WHERE ${range.where} AND ${condition.where} ORDER BY ${this.#order}`,
      ...range.bindings,
      ...condition.bindings,
    );
  }

  /** The first rows of a range in order: of all accounts or, with `ids`, of the accounts in a JSON list. */
  read({ where, bindings }: Condition, limit: number, ids?: string): AccountScanRow[] {
    const source =
      ids === undefined
        ? "account"
        : "json_each(?) AS wanted CROSS JOIN account ON account.id = wanted.value";
    const select = `SELECT ${this.#columns} FROM ${source} WHERE ${where} ORDER BY ${this.#order} LIMIT ? + 0`;
    const values = [...(ids === undefined ? [] : [ids]), ...bindings, limit];
    return this.#isPartial && limit <= PACKED_MAX
      ? this.#packed(select, values)
      : this.#sql.all<AccountScanRow>(select, ...values);
  }

  /** The rows of a statement, read as one text, because handing over each column of each row takes longer than finding the rows. */
  #packed(select: string, values: readonly SqlValue[]): AccountScanRow[] {
    const pack = this.#hasVolumes ? PACK_WITH_VOLUMES : PACK;
    const { rows } = first(this.#sql.all<{ rows: string }>(`${pack} FROM (${select})`, ...values));
    return (parseColumns(rows) as PackedRow[]).map(toScanRow); // the columns of `PACK`
  }
}

/**
 * The most rows that are packed, and the most characters of the metadata of each, because SQL takes texts of up to 2 MB. Longer
 * metadata is left out. The longest volumes, of a few assets, take some 8 KB.
 */
const PACKED_MAX = 64;
const PACKED_METADATA_MAX = 1024;

const packOf = (others: string): string =>
  `SELECT json_group_array(json_array(id, address, first, inserted, updated,
    iif(length(metadata) > ${PACKED_METADATA_MAX}, 0, metadata)${others})) AS rows`;
const PACK = packOf("");
const PACK_WITH_VOLUMES = packOf(", held");

type PackedRow = readonly [
  id: number,
  address: string,
  first: number | string,
  inserted: number,
  updated: number,
  /** 0 for metadata that is too long. */
  metadata: string | null | 0,
  held?: string,
];

function toScanRow([id, address, first, inserted, updated, metadata, held]: PackedRow) {
  const row: { -readonly [K in keyof AccountScanRow]: AccountScanRow[K] } = {
    id,
    address,
    first,
    inserted,
    updated,
  };
  if (metadata !== 0) row.metadata = metadata;
  if (held !== undefined) row.held = held;
  return row;
}
