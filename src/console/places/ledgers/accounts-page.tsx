import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { accountColumns } from "./columns.tsx";
import { accountFields, accountFilter } from "./filters.ts";
import { accountsQuery } from "./queries.ts";
import { ledgerWords } from "./words.ts";
import { Empty } from "#console/parts/base/states.tsx";
import { FilterBar } from "#console/parts/filters/filter-bar.tsx";
import { valuesIn } from "#console/parts/filters/filter-text.ts";
import { partWords } from "#console/parts/part-words.ts";
import { List } from "#console/parts/table/list.tsx";

/** The accounts of a ledger, by address. */
export function AccountsPage() {
  const words = ledgerWords();
  const { ledger } = useParams({ from: "/ledgers/$ledger/accounts" });
  const search = useSearch({ from: "/ledgers/$ledger/accounts" });
  const navigate = useNavigate();
  const fields = useMemo(() => accountFields(), []);
  const columns = useMemo(() => accountColumns(), []);
  const values = valuesIn(search, fields);
  const filter = accountFilter(values);
  return (
    <>
      <div className="px-6 py-2 max-sm:px-4">
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
      </div>
      <List
        label={words.accounts}
        query={accountsQuery(ledger, filter)}
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
