import { BARE, type TestLedger } from "./fixtures.ts";
import { wholePage } from "#bench/reads/whole-page.ts";
import type { AccountRecord } from "#ledger-engine/rules/types.ts";
import { stringifyJson } from "#platform/json.ts";
import type { ColumnQuery } from "#platform/paging/query.ts";

const BY_ADDRESS: ColumnQuery = {
  kind: "column",
  column: "address",
  order: "asc",
  pageSize: 100,
  reverse: false,
};

/** The options of a list of accounts, which by default is the whole list, sorted by address. */
export type AccountsWanted = Partial<Omit<ColumnQuery, "where" | "kind">> & {
  readonly where?: object;
};

export const listAccounts = (
  ledger: TestLedger,
  { where, ...query }: AccountsWanted = {},
  expansion = BARE,
): readonly AccountRecord[] =>
  wholePage(
    { ...BY_ADDRESS, ...query, ...(where === undefined ? {} : { where: stringifyJson(where) }) },
    (part) => ledger.engine.reads.listAccounts(part, expansion),
  ).page.data;

/** The addresses of a list, separated by spaces. */
export const addressesOf = (ledger: TestLedger, query: AccountsWanted = {}): string =>
  listAccounts(ledger, query)
    .map(({ address }) => address)
    .join(" ");

/** Counts accounts, adding up all parts of the count. */
export const countAccounts = (ledger: TestLedger, { where, pit }: AccountsWanted = {}): number => {
  const query = { pit, where: where === undefined ? undefined : stringifyJson(where) };
  let part = ledger.engine.reads.countAccounts(query);
  let sum = part.count;
  while (part.after !== undefined) {
    part = ledger.engine.reads.countAccounts(query, part.after);
    sum += part.count;
  }
  return sum;
};
