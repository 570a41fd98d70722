import { NaiveSchemas } from "./naive-schema.ts";
import type { Features, LogEntry, Metadata } from "#ledger-engine/rules/types.ts";
import { metadataHash } from "#ledger-engine/storage/metadata-index.ts";
import type { TestLedger } from "#test/support/ledger-engine/fixtures.ts";

/**
 * The rows of `metadata_index` as `account a k=v` or `past transaction 1 k=v`, and those of `metadata_log` as
 * `account a 7` for log entry 7.
 */
export interface MetadataRows {
  readonly index: readonly string[];
  readonly log: readonly string[];
}

const SCOPES = ["transaction", "past transaction", "account", "past account"];
const KINDS = ["transaction", "account"];

export function storedRows(ledger: Pick<TestLedger, "sql" | "logs">): MetadataRows {
  const { sql } = ledger;
  const words = new Map(wordsOf(ledger.logs()).map((word) => [metadataHash(word), word]));
  const accounts = new Map(
    sql
      .all<{ id: number; address: string }>("SELECT id, address FROM account")
      .map(({ id, address }) => [id, address]),
  );
  const nameOf = (kind: string | undefined, id: number) =>
    kind?.endsWith("account") === true ? accounts.get(id) : id;
  return {
    index: sql
      .all<{ scope: number; key: number; value: number; target: number }>(
        "SELECT * FROM metadata_index",
      )
      .map(({ scope, key, value, target }) => {
        const name = SCOPES[scope];
        return `${name} ${nameOf(name, target)} ${words.get(key)}=${words.get(value)}`;
      })
      .toSorted(),
    log: sql
      .all<{ kind: number; target: number; log: number }>("SELECT * FROM metadata_log")
      .map(({ kind, target, log }) => `${KINDS[kind]} ${nameOf(KINDS[kind], target)} ${log}`)
      .toSorted(),
  };
}

/** The rows that must follow from a log, computed in the simplest way. */
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
    index: [...present, ...past.map((pair) => `past ${pair}`)].toSorted(),
    log: [...state.logged].filter(keeps).toSorted(),
  };
}

/** The state after a log entry. Targets are named `account a` and `transaction 1`. */
export interface MetadataState {
  readonly metadata: ReadonlyMap<string, Metadata>;
  readonly ever: ReadonlySet<string>;
  readonly logged: ReadonlySet<string>;
  readonly schemas: NaiveSchemas;
}

const EMPTY: MetadataState = {
  metadata: new Map(),
  ever: new Set(),
  logged: new Set(),
  schemas: new NaiveSchemas(),
};

/** The state after each entry. */
export function statesOf(log: readonly LogEntry[]): MetadataState[] {
  let state = EMPTY;
  return log.map((entry) => (state = stateAfter(state, entry)));
}

function stateAfter(before: MetadataState, entry: LogEntry): MetadataState {
  const { id, data } = entry;
  const schemas = before.schemas.after(entry);
  const metadata = new Map(before.metadata);
  const ever = new Set(before.ever);
  const logged = new Set(before.logged);
  const merge = (target: string, added: Metadata) => {
    metadata.set(target, { ...metadata.get(target), ...added });
    for (const pair of pairsOf(target, added)) ever.add(pair);
  };
  /** Merges metadata into an account, with the defaults of the schema if the entry creates the account. */
  const mergeAccount = (address: string, given: Metadata | undefined) => {
    const target = `account ${address}`;
    const defaults = metadata.has(target) ? {} : schemas.defaultsOf(entry, address);
    merge(target, { ...defaults, ...given });
    if (given !== undefined || Object.keys(defaults).length > 0) logged.add(`${target} ${id}`);
  };
  const after = { metadata, ever, logged, schemas };
  if ("transaction" in data) {
    const { postings } = data.transaction;
    merge(`transaction ${data.transaction.id}`, data.transaction.metadata);
    const given = new Map("accountMetadata" in data ? Object.entries(data.accountMetadata) : []);
    const moving = postings.flatMap(({ source, destination }) => [source, destination]);
    for (const address of new Set([...moving, ...given.keys()])) {
      mergeAccount(address, given.get(address) ?? undefined);
    }
    return after;
  }
  if (data.type === "INSERTED_SCHEMA") return after;
  if (data.type === "SET_METADATA" && data.target.type === "ACCOUNT") {
    mergeAccount(data.target.id, data.metadata ?? {});
    return after;
  }
  const target = `${data.target.type.toLowerCase()} ${data.target.id}`;
  if (data.type === "SET_METADATA") {
    merge(target, data.metadata ?? {});
    logged.add(`${target} ${id}`);
  } else if (metadata.has(target)) {
    const left = Object.entries(metadata.get(target) ?? {}).filter(([key]) => key !== data.key);
    metadata.set(target, Object.fromEntries(left));
    logged.add(`${target} ${id}`);
  }
  return after;
}

const pairsOf = (target: string, metadata: Metadata): string[] =>
  Object.entries(metadata).map(([key, value]) => `${target} ${key}=${value}`);

function wordsOf(log: readonly LogEntry[]): string[] {
  return log.flatMap(({ data }) => {
    const all = [
      "transaction" in data ? data.transaction.metadata : {},
      "metadata" in data ? data.metadata : {},
      ...("accountMetadata" in data ? Object.values(data.accountMetadata) : []),
      "schema" in data ? wordsOfText(data.schema.text) : {},
    ];
    return all.flatMap((metadata) => Object.entries(metadata ?? {}).flat());
  });
}

/** All texts of a schema, any of which may be metadata of an account. */
const wordsOfText = (text: string): Metadata =>
  Object.fromEntries([...text.matchAll(/"([^"]*)"/g)].map(([, word = ""]) => [word, word]));
