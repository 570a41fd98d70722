import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { accountColumns } from "./columns.tsx";
import { accountFields, accountFilter } from "./filters.ts";
import { type Account, accountsQuery } from "./queries.ts";
import { accountsRequest } from "./requests.ts";
import { useMoments } from "./time/moments.ts";
import { ledgerWords } from "./words.ts";
import { Empty } from "#console/parts/base/states.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { CsvButton } from "#console/parts/csv/csv-button.tsx";
import { type CsvColumn } from "#console/parts/csv/csv.ts";
import { FilterBar } from "#console/parts/filters/filter-bar.tsx";
import { valuesIn } from "#console/parts/filters/filter-text.ts";
import { partWords } from "#console/parts/part-words.ts";
import { List } from "#console/parts/table/list.tsx";
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
  const query = accountsQuery(ledger, filter, at);
  return (
    <>
      <div className="flex items-start gap-2 px-6 py-2 max-sm:px-4">
        <FilterBar
          fields={fields}
          values={values}
          onChange={(next) =>
            void navigate({
              to: "/ledgers/$ledger/accounts",
              params: { ledger },
              search: next,
              replace: true,
            })
          }
        />
        <AsCode requests={[accountsRequest(ledger, { filter, at })]} />
        <CsvButton
          file={`${ledger}-${words.accounts}`}
          query={query}
          columns={CSV}
          linesOf={linesOf}
        />
      </div>
      <List
        label={words.accounts}
        query={query}
        columns={columns}
        idOf={({ address }) => address}
        onOpen={({ address }) =>
          void navigate({ to: "/ledgers/$ledger/accounts/$address", params: { ledger, address } })
        }
        empty={
          <Empty title={filter === undefined ? words.noAccounts : partWords().filter.nothingFits} />
        }
      />
    </>
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
