import { type LedgerEngine, type LogData, type LogListEntry, toLogText } from "#ledger-engine";

/** The volumes of an account in one asset after a log entry. */
export interface StreamedBalance {
  readonly account: string;
  readonly asset: string;
  /** The JSON of the item of an event `balances`. */
  readonly text: string;
}

/** A log entry as streams of the ledger send it. */
export interface StreamedEntry {
  readonly id: number;
  /** The JSON of the entry in a list of log entries. */
  readonly text: string;
  /** The accounts that the entry concerns and that have no item in `balances`. */
  readonly accounts: readonly string[];
  readonly balances: readonly StreamedBalance[];
}

/** The entries of a log after `after`, complete up to the entry `to`. */
export interface StreamedLog {
  readonly after: number;
  readonly to: number;
  readonly entries: readonly StreamedEntry[];
}

/** The ledger of a log, and the id of its last entry; -1 if the log is empty. */
export interface LogEnd {
  readonly uuid: string;
  readonly head: number;
}

/** Most log entries and approximate bytes that one call reads for streams. */
const LIMITS = { countMax: 500, bytesMax: 1_000_000 };

export const logEnd = ({ info, headLogId }: LedgerEngine): LogEnd => ({
  uuid: info.uuid,
  head: headLogId,
});

/** The entries after an entry and up to `to`, as many of the first ones as one call gives; `countMax` may make them fewer. */
export function readStreamed(
  { reads, headLogId }: LedgerEngine,
  { after, to = headLogId }: { readonly after: number; readonly to?: number | undefined },
  countMax: number = LIMITS.countMax,
): StreamedLog {
  const end = Math.min(to, headLogId);
  if (end <= after) return { after, to: after, entries: [] };
  const limits = { ...LIMITS, countMax: Math.min(countMax, LIMITS.countMax) };
  const { entries, isCut } = reads.logsAfter(after, end, limits);
  return {
    after,
    to: isCut ? (entries.at(-1)?.id ?? end) : end,
    entries: entries.map(toStreamed),
  };
}

function toStreamed(entry: LogListEntry): StreamedEntry {
  const balances = balancesOf(entry);
  const held = new Set(balances.map(({ account }) => account));
  const accounts = accountsOf(entry.data).filter((account) => !held.has(account));
  return { id: entry.id, text: toLogText(entry), accounts: [...new Set(accounts)], balances };
}

function balancesOf({ id, data }: LogListEntry): StreamedBalance[] {
  if (!("transaction" in data)) return [];
  const { volumes = [] } = data.transaction;
  return volumes.map(({ account, asset, input, output }) => ({
    account,
    asset,
    text: `{"account":"${account}","asset":"${asset}","input":${input},"output":${output},"balance":${input - output},"logId":${id}}`,
  }));
}

function accountsOf(data: LogData): string[] {
  switch (data.type) {
    case "NEW_TRANSACTION":
      return [...postedAccounts(data.transaction), ...Object.keys(data.accountMetadata)];
    case "REVERTED_TRANSACTION":
      return postedAccounts(data.transaction);
    case "SET_METADATA":
    case "DELETE_METADATA":
      return data.target.type === "ACCOUNT" ? [data.target.id] : [];
    case "INSERTED_SCHEMA":
      return [];
  }
}

const postedAccounts = ({
  postings,
}: Extract<LogData, { readonly type: "NEW_TRANSACTION" }>["transaction"]): string[] =>
  postings.flatMap(({ source, destination }) => [source, destination]);
