import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { transactionColumns } from "./columns.tsx";
import { transactionFields, transactionFilter } from "./filters.ts";
import { transactionsQuery } from "./queries.ts";
import { TransactionView } from "./transaction-view.tsx";
import { postingLines, transactionCsv } from "./transactions/csv.ts";
import { useNewTransactions } from "./transactions/live.ts";
import { NewTransaction } from "./transactions/new-transaction-button.tsx";
import { transactionsRequest } from "./transactions/requests.ts";
import { ledgerWords } from "./words.ts";
import { Empty } from "#console/parts/base/states.tsx";
import { AsCode } from "#console/parts/code/as-code.tsx";
import { CsvButton } from "#console/parts/csv/csv-button.tsx";
import { FilterBar } from "#console/parts/filters/filter-bar.tsx";
import { type FilterValues, valuesIn } from "#console/parts/filters/filter-text.ts";
import { ListBar } from "#console/parts/layout/list-bar.tsx";
import { Panel } from "#console/parts/layout/panel.tsx";
import { LiveStatus } from "#console/parts/live/live-status.tsx";
import { partWords } from "#console/parts/part-words.ts";
import { List } from "#console/parts/table/list.tsx";

/** The transactions of a ledger, newest first. A transaction opens beside the list. */
export function TransactionsPage() {
  const words = ledgerWords();
  const { ledger } = useParams({ from: "/ledgers/$ledger/transactions" });
  const search = useSearch({ from: "/ledgers/$ledger/transactions" });
  const navigate = useNavigate();
  const fields = useMemo(() => transactionFields(), []);
  const columns = useMemo(() => transactionColumns(), []);
  const values = valuesIn(search, fields);
  const { open } = search;
  const show = useCallback(
    (next: FilterValues, openId: string | undefined) =>
      void navigate({
        to: "/ledgers/$ledger/transactions",
        params: { ledger },
        search: openId === undefined ? next : { ...next, open: openId },
        replace: true,
      }),
    [navigate, ledger],
  );
  const filter = transactionFilter(values);
  const { news, state } = useNewTransactions(ledger, filter);
  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex min-w-0 flex-1 flex-col">
        <ListBar
          actions={
            <>
              <LiveStatus state={state} />
              <AsCode requests={[transactionsRequest(ledger, filter)]} />
              <CsvButton
                file={`${ledger}-transactions`}
                query={transactionsQuery(ledger, filter)}
                columns={transactionCsv}
                linesOf={postingLines}
              />
              <NewTransaction ledger={ledger} />
            </>
          }
        >
          <FilterBar fields={fields} values={values} onChange={(next) => show(next, open)} />
        </ListBar>
        <List
          label={words.transactions}
          query={transactionsQuery(ledger, filter)}
          columns={columns}
          idOf={({ id }) => String(id)}
          openId={open}
          news={news}
          onOpen={({ id }) => show(values, String(id))}
          empty={
            <Empty
              title={filter === undefined ? words.noTransactions : partWords().filter.nothingFits}
            />
          }
        />
      </div>
      {open !== undefined && (
        <Panel
          title={words.transactionTitle(open)}
          onClose={() => show(values, undefined)}
          onExpand={() =>
            void navigate({ to: "/ledgers/$ledger/transactions/$id", params: { ledger, id: open } })
          }
        >
          <TransactionView ledger={ledger} id={open} />
        </Panel>
      )}
    </div>
  );
}
