import type { Features, LogEntry, Metadata } from "../../src/modules/ledger/core/types.ts";
import type { Sql } from "../../src/modules/ledger/object/sql.ts";
import { tagHash } from "../../src/modules/ledger/object/tags.ts";
import type { TestLedger } from "./ledger-fixtures.ts";

/** The rows of `tag` and `history` in words: `account a k=v`, `past transaction 1 k=v`; `account a 7` for log entry 7. */
export interface MetadataRows {
  readonly tags: readonly string[];
  readonly history: readonly string[];
}

const SCOPES = ["transaction", "past transaction", "account", "past account"];
const KINDS = ["transaction", "account"];

export function storedRows(ledger: Pick<TestLedger, "sql" | "logs">): MetadataRows {
  const { sql } = ledger;
  const words = new Map(wordsOf(ledger.logs()).map((word) => [tagHash(word), word]));
  const accounts = new Map(
    sql
      .all<{ id: number; address: string }>("SELECT id, address FROM account")
      .map(({ id, address }) => [id, address]),
  );
  const nameOf = (kind: string | undefined, id: number) =>
    kind?.endsWith("account") === true ? accounts.get(id) : id;
  return {
    tags: sql
      .all<{ scope: number; key: number; value: number; target: number }>("SELECT * FROM tag")
      .map(({ scope, key, value, target }) => {
        const name = SCOPES[scope];
        return `${name} ${nameOf(name, target)} ${words.get(key)}=${words.get(value)}`;
      })
      .toSorted(),
    history: sql
      .all<{ kind: number; target: number; log: number }>("SELECT * FROM history")
      .map(({ kind, target, log }) => `${KINDS[kind]} ${nameOf(KINDS[kind], target)} ${log}`)
      .toSorted(),
  };
}

/** The rows that a log must lead to, found out the naive way. */
export function expectedRows(log: readonly LogEntry[], features: Features): MetadataRows {
  const state = statesOf(log).at(-1) ?? EMPTY;
  const keeps = (target: string) =>
    (target.startsWith("account")
      ? features.ACCOUNT_METADATA_HISTORY
      : features.TRANSACTION_METADATA_HISTORY) === "SYNC";
  const present = new Set(
    [...state.metadata].flatMap(([target, metadata]) => pairsOf(target, metadata)),
  );
  const past = [...state.ever].filter((pair) => keeps(pair) && !present.has(pair));
  return {
    tags: [...present, ...past.map((pair) => `past ${pair}`)].toSorted(),
    history: [...state.history].filter(keeps).toSorted(),
  };
}

/** What is known after a log entry: targets are named `account a` and `transaction 1`. */
export interface MetadataState {
  readonly metadata: ReadonlyMap<string, Metadata>;
  readonly ever: ReadonlySet<string>;
  readonly history: ReadonlySet<string>;
}

const EMPTY: MetadataState = { metadata: new Map(), ever: new Set(), history: new Set() };

/** The state after each entry. */
export function statesOf(log: readonly LogEntry[]): MetadataState[] {
  let state = EMPTY;
  return log.map((entry) => (state = stateAfter(state, entry)));
}

function stateAfter(before: MetadataState, { id, data }: LogEntry): MetadataState {
  const metadata = new Map(before.metadata);
  const ever = new Set(before.ever);
  const history = new Set(before.history);
  const merge = (target: string, added: Metadata) => {
    metadata.set(target, { ...metadata.get(target), ...added });
    for (const pair of pairsOf(target, added)) ever.add(pair);
  };
  if ("transaction" in data) {
    const { postings } = data.transaction;
    for (const { source, destination } of postings) {
      merge(`account ${source}`, {});
      merge(`account ${destination}`, {});
    }
    merge(`transaction ${data.transaction.id}`, data.transaction.metadata);
    if (data.type !== "NEW_TRANSACTION") return { metadata, ever, history };
    for (const [address, added] of Object.entries(data.accountMetadata)) {
      merge(`account ${address}`, added);
      history.add(`account ${address} ${id}`);
    }
    return { metadata, ever, history };
  }
  const target = `${data.target.type.toLowerCase()} ${data.target.id}`;
  if (data.type === "SET_METADATA") {
    merge(target, data.metadata);
    history.add(`${target} ${id}`);
  } else if (metadata.has(target)) {
    const left = Object.entries(metadata.get(target) ?? {}).filter(([key]) => key !== data.key);
    metadata.set(target, Object.fromEntries(left));
    history.add(`${target} ${id}`);
  }
  return { metadata, ever, history };
}

const pairsOf = (target: string, metadata: Metadata): string[] =>
  Object.entries(metadata).map(([key, value]) => `${target} ${key}=${value}`);

function wordsOf(log: readonly LogEntry[]): string[] {
  return log.flatMap(({ data }) => {
    const all = [
      "transaction" in data ? data.transaction.metadata : {},
      "metadata" in data ? data.metadata : {},
      ...("accountMetadata" in data ? Object.values(data.accountMetadata) : []),
    ];
    return all.flatMap((metadata) => Object.entries(metadata).flat());
  });
}

/** Takes a ledger back to the second step of its tables, as the code of that step would have left it. */
export function toSecondStep(sql: Sql): void {
  for (const statement of BACK_TO_SECOND) sql.all(statement);
}

const BACK_TO_SECOND = [
  "DROP TABLE tag",
  "DROP TABLE history",
  "DROP INDEX move_idle",
  "UPDATE move SET role = role & 3",
  "DROP INDEX log_type",
  "DROP INDEX account_updated",
  "DROP INDEX account_first_usage",
  "DROP INDEX tx_reverted_id",
  "DROP INDEX tx_reverted",
  "ALTER TABLE ledger DROP COLUMN imported_log",
  "DELETE FROM migration WHERE step = 3",
];
