import { stringifyJson } from "../../../platform/json.ts";
import { type Page, type PageQuery, pageOf, scanOf } from "../../../platform/pagination.ts";
import { countWithin, metadataBytes, PAGE_BYTES_MAX } from "../core/limits.ts";
import type { Account, AccountRecord, AccountVolumes } from "../core/types.ts";
import { readNames } from "./names.ts";
import { fromStored, type Sql, type SqlValue, type StoredAmount } from "./sql.ts";
import {
  type AccountRow,
  type AccountSqlRow,
  SELECT_ACCOUNT,
  toAccountRow,
} from "./write-batch.ts";

/** Reads accounts: one, or a page in the order of their addresses, which is byte order. */
export class AccountReader {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  find(address: string, { volumes }: { volumes: boolean }): AccountRecord | undefined {
    const rows = this.#sql.all<AccountSqlRow>(`${SELECT_ACCOUNT} WHERE address = ?`, address);
    return this.#expand(rows.map(toAccountRow), volumes)[0];
  }

  list(query: PageQuery, { volumes }: { volumes: boolean }): Page<AccountRecord> {
    const { bound, order, offset, limit } = scanOf(query);
    const strict = order === "asc" ? ">" : "<";
    const where =
      bound === undefined ? "" : `WHERE address ${strict}${bound.inclusive ? "=" : ""} ?`;
    const bindings: SqlValue[] = bound === undefined ? [] : [bound.key.value.toString()];
    const rows = this.#sql
      .all<AccountSqlRow>(
        `${SELECT_ACCOUNT} ${where} ORDER BY address ${order} LIMIT ? OFFSET ?`,
        ...bindings,
        limit,
        offset,
      )
      .map(toAccountRow);
    const page = pageOf(query, rows, {
      keyOf: ({ address }) => ({ value: address }),
      keptMax: countWithin(rows, PAGE_BYTES_MAX, ({ metadata }) => metadataBytes(metadata ?? {})),
    });
    return { ...page, data: this.#expand(page.data, volumes) };
  }

  #expand(rows: readonly AccountRow[], volumes: boolean): AccountRecord[] {
    const found = volumes ? this.#currentVolumes(rows) : undefined;
    return rows.map((row) => ({
      address: row.address,
      metadata: row.metadata ?? {},
      firstUsage: row.firstUsage,
      insertionDate: row.insertedAt,
      updatedAt: row.updatedAt,
      ...(found === undefined ? {} : { volumes: found.get(row.id) ?? [] }),
    }));
  }

  #currentVolumes(rows: readonly AccountRow[]): ReadonlyMap<number, AccountVolumes[]> {
    const addresses = new Map<number, Account>(rows.map(({ id, address }) => [id, address]));
    const last = this.#sql.all<LastMoveSqlRow>(
      SELECT_LAST_MOVES,
      stringifyJson([...addresses.keys()]),
    );
    const names = readNames(this.#sql, new Set(), new Set(last.map(({ asset }) => asset)));
    const found = new Map<number, AccountVolumes[]>();
    for (const { account, asset, input, output } of last) {
      const address = addresses.get(account);
      if (address === undefined) continue;
      const volumes = found.get(account) ?? [];
      volumes.push({
        account: address,
        asset: names.asset(asset),
        input: fromStored(input),
        output: fromStored(output),
      });
      found.set(account, volumes);
    }
    return found;
  }
}

type LastMoveSqlRow = {
  account: number;
  asset: number;
  input: StoredAmount;
  output: StoredAmount;
};

/**
 * The last move of each asset of some accounts. The assets of an account are found from the highest id down, each by one
 * step into the primary key, so that the cost is that of the assets and not of the moves.
 */
const SELECT_LAST_MOVES = `WITH RECURSIVE held (account, asset) AS (
    SELECT value, (SELECT max(asset) FROM move WHERE account = value) FROM json_each(?)
    UNION ALL
    SELECT account, (SELECT max(asset) FROM move WHERE move.account = held.account AND move.asset < held.asset)
      FROM held WHERE asset IS NOT NULL
  )
  SELECT move.account, move.asset, move.input, move.output
    FROM held CROSS JOIN move ON move.account = held.account AND move.asset = held.asset
      AND move.tx = (SELECT max(tx) FROM move WHERE account = held.account AND asset = held.asset)`;
