import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { accountColumns } from "./columns.tsx";
import { accountFields, accountFilter } from "./filters.ts";
import { type Account, accountsQuery } from "./queries.ts";
import { accountsRequest } from "./requests.ts";
import { useMoments } from "./time/moments.ts";
import { ledgerWords } from "./words.ts";
import { type CsvColumn } from "#console/parts/csv/csv.ts";
import { valuesIn } from "#console/parts/filters/filter-text.ts";
import { ListPage } from "#console/parts/lists/list-page.tsx";
import { stringifyJson } from "#platform/json.ts";

/** The accounts of a ledger, by address. */
export function AccountsPage() {
  const words = ledgerWords();
  const { ledger } = useParams({ from: "/ledgers/$ledger/accounts" });
  const search = useSearch({ from: "/ledgers/$ledger/accounts" });
  const navigate = useNavigate();
  const fields = useMemo(() => accountFields(), []);
  const columns = useMemo(() => accountColumns(), []);
  const values = valuesIn(search, fields);
  const { at } = useMoments();
  const filter = accountFilter(values);
  return (
    <ListPage
      label={words.accounts}
      query={accountsQuery(ledger, filter, at)}
      columns={columns}
      idOf={({ address }) => address}
      onOpen={({ address }) =>
        void navigate({ to: "/ledgers/$ledger/accounts/$address", params: { ledger, address } })
      }
      filters={{
        fields,
        values,
        onChange: (next) =>
          void navigate({
            to: "/ledgers/$ledger/accounts",
            params: { ledger },
            search: next,
            replace: true,
          }),
      }}
      code={[accountsRequest(ledger, { filter, at })]}
      csv={{ name: `${ledger}-accounts`, columns: CSV, linesOf }}
      none={at === undefined ? words.noAccounts : words.moment.noAccounts}
    />
  );
}

interface Line {
  readonly account: Account;
  readonly asset?: string;
  readonly volume?: NonNullable<Account["volumes"]>[string];
}

/** A line for each asset of an account; one line for an account without a balance. */
function linesOf(account: Account): readonly Line[] {
  const volumes = Object.entries(account.volumes ?? {});
  return volumes.length === 0
    ? [{ account }]
    : volumes.map(([asset, volume]) => ({ account, asset, volume }));
}

const CSV: readonly CsvColumn<Line>[] = [
  ["address", ({ account }) => account.address],
  ["asset", ({ asset }) => asset],
  ["input", ({ volume }) => volume?.input],
  ["output", ({ volume }) => volume?.output],
  ["balance", ({ volume }) => volume?.balance],
  ["firstUsage", ({ account }) => account.firstUsage],
  ["metadata", ({ account }) => stringifyJson(account.metadata)],
];
