import { PAIR_ASSETS, pairKey } from "./pair-key.ts";
import { VolumeTable } from "./volume-table.ts";
import type { AccountVolumes } from "#ledger-engine/rules/types.ts";
import { textOfTwo, type VolumeTexts, volumesText } from "#ledger-engine/rules/volume-texts.ts";
import type { StoredNames } from "#ledger-engine/storage/names/names.ts";
import type { StoredPosting } from "#ledger-engine/storage/payload.ts";
import type { StoredTransaction } from "#ledger-engine/storage/transaction-reader.ts";
import { numberOf, readColumns } from "#platform/sql/columns.ts";
import type { Sql } from "#platform/sql/sql.ts";

export interface RunningVolumesOptions {
  readonly sql: Sql;
  readonly names: StoredNames;
  /** Whether the first transaction that is passed is the first one of the log. */
  readonly isStart: boolean;
  readonly table?: VolumeTable;
}

/**
 * The volumes of accounts at a place in the log, which advances with each transaction that is passed. A transaction adds its amounts to
 * the volumes before it, so that SQL reads only the volumes of accounts that are not in the table yet. All transactions must be passed,
 * in their order, and all volumes must be below 2^53, because larger ones are stored as texts.
 */
export class RunningVolumes {
  readonly #sql: Sql;
  readonly #names: StoredNames;
  readonly #table: VolumeTable;
  /** Whether all accounts that have ever moved are in the table. */
  #hasAll: boolean;
  readonly #texts: LastText[] = [];

  constructor({ sql, names, isStart, table = new VolumeTable() }: RunningVolumesOptions) {
    this.#sql = sql;
    this.#names = names;
    this.#table = table;
    this.#hasAll = isStart;
  }

  /**
   * Reads the volumes and names that the next transactions need. Returns false if one of their volumes may reach 2^53: the volumes must
   * not be used any more then.
   */
  prepare(transactions: readonly StoredTransaction[]): boolean {
    let total = 0n;
    const accounts: number[] = [];
    const assets = new Set<number>();
    for (const { payload } of transactions) {
      for (const { source, destination, asset, amount } of payload.postings) {
        accounts.push(source, destination);
        assets.add(asset);
        total += amount;
      }
    }
    if (!this.#table.reserve(accounts.length)) this.#hasAll = false;
    const most = this.#readUnknown(transactions);
    if (most === undefined || most + total > VOLUME_MAX) return false;
    this.#names.prefetch({ accounts, assets });
    return true;
  }

  pass({ payload }: StoredTransaction): void {
    for (const { source, destination, asset, amount } of payload.postings) {
      this.#table.send(this.#table.find(source, asset), amount);
      this.#table.receive(this.#table.find(destination, asset), amount);
    }
  }

  /** Passes a transaction, and gives the volumes after it, in order of first appearance. */
  volumesAfter(transaction: StoredTransaction): AccountVolumes[] {
    this.pass(transaction);
    const moved = new Map<number, AccountVolumes>();
    for (const { source, destination, asset } of transaction.payload.postings) {
      for (const account of [source, destination]) {
        const place = this.#table.find(account, asset);
        moved.set(place, {
          account: this.#names.account(account),
          asset: this.#names.asset(asset),
          input: this.#table.input(place),
          output: this.#table.output(place),
        });
      }
    }
    return [...moved.values()];
  }

  /** Passes a transaction with one posting between two accounts, and gives the volumes before and after it as JSON. */
  textsOfOne({ source, destination, asset, amount }: StoredPosting): VolumeTexts {
    const names = this.#names;
    const accounts = [names.account(source), names.account(destination)] as const;
    const ofSource = this.#moved(this.#table.find(source, asset), 0n, amount);
    const ofDestination = this.#moved(this.#table.find(destination, asset), amount, 0n);
    const name = names.asset(asset);
    return {
      before: textOfTwo(accounts, [ofSource.before, ofDestination.before], name),
      after: textOfTwo(accounts, [ofSource.after, ofDestination.after], name),
    };
  }

  /** Adds amounts to the volumes at a place, and gives the volumes before and after as JSON. */
  #moved(place: number, received: bigint, sent: bigint): VolumeTexts {
    const table = this.#table;
    const last = (this.#texts[place % LAST_TEXTS] ??= { input: 0n, output: 0n, text: ZERO });
    const [input, output] = [table.input(place), table.output(place)];
    // The text after the last move of the pair is the text before this move.
    const isLast = last.input === input && last.output === output;
    const before = isLast ? last.text : volumesText(input, output, input - output);
    table.receive(place, received);
    table.send(place, sent);
    last.input = input + received;
    last.output = output + sent;
    last.text = volumesText(last.input, last.output, last.input - last.output);
    return { before, after: last.text };
  }

  /**
   * Adds the accounts and assets that are not in the table yet. Returns the largest volume of all moved pairs; undefined if one is 2^53 or
   * more.
   */
  #readUnknown(transactions: readonly StoredTransaction[]): bigint | undefined {
    const table = this.#table;
    const unknown: number[] = [];
    const places: number[] = [];
    let most = 0n;
    for (const { payload } of transactions) {
      for (const { source, destination, asset } of payload.postings) {
        for (const account of [source, destination]) {
          const place = table.find(account, asset);
          if (place !== -1) {
            most = largest(most, table.input(place), table.output(place));
            continue;
          }
          unknown.push(pairKey(account, asset));
          places.push(table.add(account, asset));
        }
      }
    }
    if (this.#hasAll || unknown.length === 0) return most;
    const columns = readColumns(
      this.#sql,
      SELECT_BEFORE,
      `[${unknown.join(",")}]`,
      transactions[0]?.id ?? 0,
    ) as VolumeColumns; // the columns of the statement
    for (const [index, place] of places.entries()) {
      const [input, output] = [columns.inputs[index] ?? null, columns.outputs[index] ?? null];
      if (input === null || output === null) return undefined;
      table.receive(place, BigInt(input));
      table.send(place, BigInt(output));
      most = largest(most, table.input(place), table.output(place));
    }
    return most;
  }
}

/** Volumes, and the JSON that was written for them. */
interface LastText {
  input: bigint;
  output: bigint;
  text: string;
}

const LAST_TEXTS = 64;
const ZERO = volumesText(0n, 0n, 0n);
const VOLUME_MAX = BigInt(Number.MAX_SAFE_INTEGER);

function largest(most: bigint, input: bigint, output: bigint): bigint {
  const more = input > output ? input : output;
  return more > most ? more : most;
}

/** The volumes of the pairs in their order; null if a volume is 2^53 or more. */
type VolumeColumns = {
  readonly inputs: readonly (number | null)[];
  readonly outputs: readonly (number | null)[];
};

const numberBefore = (column: string): string =>
  `json_group_array(iif(move.tx IS NULL, 0, ${numberOf(column)}))`;
const ofPair = (table: string): string =>
  `${table}.account = wanted.value / ${PAIR_ASSETS} AND ${table}.asset = wanted.value % ${PAIR_ASSETS}`;
// LEFT JOIN makes each pair a look-up in the primary key, and keeps the order of the pairs.
const SELECT_BEFORE = `SELECT ${numberBefore("input")} AS inputs, ${numberBefore("output")} AS outputs
  FROM json_each(?1) AS wanted LEFT JOIN move
    ON ${ofPair("move")} AND move.tx = (SELECT max(tx) FROM move AS last WHERE ${ofPair("last")} AND last.tx < ?2)`;
