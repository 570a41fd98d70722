import { ACCOUNT_FIELDS, type AccountScanRow } from "./account-filter.ts";
import { HELD_COLUMNS, parseHeld } from "./held-volumes.ts";
import { AccountVolumeReader, type AsOf, NOW } from "#ledger-engine/read/scan/account-volumes.ts";
import type { ReadContext } from "#ledger-engine/read/scan/context.ts";
import { metadataBytes, PAGE_BYTES_MAX } from "#ledger-engine/rules/limits.ts";
import type { VolumeExpansion } from "#ledger-engine/rules/reads.ts";
import type { AccountRecord, AccountVolumes } from "#ledger-engine/rules/types.ts";
import {
  type AccountRow,
  type AccountSqlRow,
  SELECT_ACCOUNT,
  selectAccountWith,
  toAccountRow,
} from "#ledger-engine/storage/account-rows.ts";
import { keepsHistory } from "#ledger-engine/storage/metadata-index.ts";
import type { Timestamp } from "#platform/time.ts";

export interface AccountRead extends VolumeExpansion {
  readonly pit: Timestamp | undefined;
}

/** The most accounts that become records at a time, because each may have much metadata, and many assets. */
export const RECORDS_MAX = 200;
const RECORDS_WITH_VOLUMES_MAX = 20;
/** The approximate size of volumes in an answer besides their digits, in bytes. */
const VOLUMES_BYTES = 60;

/** Reads the records of accounts, of the present or of a point in time. */
export class AccountRecords {
  readonly #context: ReadContext;
  readonly #volumes: AccountVolumeReader;

  constructor(context: ReadContext) {
    this.#context = context;
    this.#volumes = AccountVolumeReader.of(context);
  }

  /** The account with an address, if it had been used by the point in time. */
  find(address: string, view: AccountRead): AccountRecord | undefined {
    const { sql, sizes } = this.#context;
    const withVolumes = areCurrent(view, view.pit)
      ? FIND_WITH_VOLUMES[sizes.assetCount]
      : undefined;
    const [row] = sql.all<AccountSqlRow & { held?: string }>(withVolumes ?? FIND, address);
    if (row === undefined) return undefined;
    const account = toAccountRow(row);
    if (view.pit !== undefined && account.firstUsage > view.pit) return undefined;
    return this.#records([account], this.#plan(view), this.#heldOf([row]))[0];
  }

  /**
   * The records of accounts that a scan has found, in the same order: at least one, and as many as a page may hold in bytes.
   * Rows that the scan has read only in part are read again.
   */
  list(found: readonly AccountScanRow[], view: AccountRead): AccountRecord[] {
    const plan = this.#plan(view);
    const size = view.volumes || view.effectiveVolumes ? RECORDS_WITH_VOLUMES_MAX : RECORDS_MAX;
    const records: AccountRecord[] = [];
    let bytes = 0;
    for (let from = 0; from < found.length; from += size) {
      const part = found.slice(from, from + size);
      const rows = this.#rows(part);
      for (const record of this.#records(rows, plan, this.#heldOf(part))) {
        bytes += recordBytes(record);
        if (bytes > PAGE_BYTES_MAX && records.length > 0) return records;
        records.push(record);
      }
    }
    return records;
  }

  #rows(found: readonly AccountScanRow[]): AccountRow[] {
    if (found.every(isWhole)) return found.map(toAccountRow);
    const ids = found.map(({ id }) => id);
    const rows = this.#context.sql
      .all<AccountSqlRow>(
        `${SELECT_ACCOUNT} WHERE id IN (SELECT value FROM json_each(?))`,
        `[${ids.join(",")}]`,
      )
      .map(toAccountRow);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  #plan({ pit, ...expansion }: AccountRead): Plan {
    const { features } = this.#context;
    const at = (insertionDate: boolean): AsOf =>
      pit === undefined ? NOW : this.#volumes.asOfDate(pit, { insertionDate });
    return {
      metadataAt: keepsHistory(features, "ACCOUNT") ? pit : undefined,
      volumesAt: expansion.volumes ? at(true) : undefined,
      effectiveAt: expansion.effectiveVolumes ? at(false) : undefined,
    };
  }

  #records(rows: readonly AccountRow[], plan: Plan, held: VolumesOf | undefined): AccountRecord[] {
    const { metadataAt, volumesAt, effectiveAt } = plan;
    const past =
      metadataAt === undefined ? undefined : this.#context.history.accountsAt(rows, metadataAt);
    const volumesOf = (at: AsOf | undefined) =>
      at && ((at === NOW && held) || this.#volumesAt(rows, at));
    const volumes = volumesOf(volumesAt);
    // Without a point in time, both are the volumes after all moves.
    const isSame = effectiveAt === volumesAt;
    const effective = isSame ? undefined : volumesOf(effectiveAt);
    return rows.map((row, index) => {
      const record: Writable<AccountRecord> = {
        address: row.address,
        metadata: (past === undefined ? row.metadata : past.get(row.id)) ?? {},
        firstUsage: row.firstUsage,
        insertionDate: row.insertedAt,
        updatedAt: row.updatedAt,
      };
      const own = volumes?.(row, index);
      const ownEffective = isSame ? own : effective?.(row, index);
      if (own !== undefined) record.volumes = own;
      if (ownEffective !== undefined) record.effectiveVolumes = ownEffective;
      return record;
    });
  }

  /** The current volumes of rows that were read together with them. */
  #heldOf(found: readonly AccountScanRow[]): VolumesOf | undefined {
    if (found[0]?.held === undefined) return undefined;
    const { names } = this.#context;
    return ({ address: account }, index) =>
      parseHeld(found[index]?.held ?? "").map(({ asset, input, output }) => ({
        account,
        asset: names.asset(asset),
        input,
        output,
      }));
  }

  #volumesAt(rows: readonly AccountRow[], asOf: AsOf): VolumesOf {
    const ids = rows.map(({ id }) => id);
    const batches = [...this.#volumes.batches(ids, asOf)];
    const holdings = batches.flatMap((batch) => batch.holdings);
    const names = this.#context.names.prefetch({ assets: holdings.map(({ asset }) => asset) });
    const addresses = new Map(rows.map(({ id, address }) => [id, address]));
    const found = new Map<number, AccountVolumes[]>();
    for (const { account, asset, input, output } of holdings) {
      const address = addresses.get(account);
      if (address === undefined) continue;
      const volumes = found.get(account) ?? [];
      volumes.push({ account: address, asset: names.asset(asset), input, output });
      found.set(account, volumes);
    }
    return ({ id }) => found.get(id) ?? [];
  }
}

const FIND = `${SELECT_ACCOUNT} WHERE address = ?`;
const FIND_WITH_VOLUMES = HELD_COLUMNS.map(
  (held) => `${selectAccountWith(held)} WHERE address = ?`,
);

/** Gives the volumes of a row. `index` is the index of the row among the rows that are read together. */
type VolumesOf = (row: AccountRow, index: number) => readonly AccountVolumes[];

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Whether the present volumes are asked for. */
export const areCurrent = (
  { volumes, effectiveVolumes }: VolumeExpansion,
  pit: Timestamp | undefined,
): boolean => pit === undefined && (volumes || effectiveVolumes);

const isWhole = (row: AccountScanRow): row is AccountSqlRow =>
  ACCOUNT_FIELDS.every((field) => row[field] !== undefined);

/** The points in time as of which the parts of a record are read. */
interface Plan {
  /** Undefined for the present. */
  readonly metadataAt: Timestamp | undefined;
  /** Undefined if volumes are not asked for. */
  readonly volumesAt: AsOf | undefined;
  readonly effectiveAt: AsOf | undefined;
}

function recordBytes({ metadata, volumes = [], effectiveVolumes = [] }: AccountRecord): number {
  let bytes = metadataBytes(metadata);
  for (const { asset, input, output } of [...volumes, ...effectiveVolumes]) {
    bytes += VOLUMES_BYTES + asset.length + 2 * `${input}${output}`.length;
  }
  return bytes;
}
