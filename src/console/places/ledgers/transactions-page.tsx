import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { transactionColumns } from "./columns.tsx";
import { transactionFields, transactionFilter } from "./filters.ts";
import { transactionsQuery } from "./queries.ts";
import { useMoments } from "./time/moments.ts";
import { TransactionView } from "./transaction-view.tsx";
import { postingLines, transactionCsv } from "./transactions/csv.ts";
import { useNewTransactions } from "./transactions/live.ts";
import { NewTransaction } from "./transactions/new-transaction-button.tsx";
import { transactionsRequest } from "./transactions/requests.ts";
import { ledgerWords } from "./words.ts";
import { type FilterValues, valuesIn } from "#console/parts/filters/filter-text.ts";
import { Panel } from "#console/parts/layout/panel.tsx";
import { ListPage } from "#console/parts/lists/list-page.tsx";
import { LiveStatus } from "#console/parts/live/live-status.tsx";

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
  const { at } = useMoments();
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
    <ListPage
      label={words.transactions}
      query={transactionsQuery(ledger, filter)}
      columns={columns}
      idOf={({ id }) => String(id)}
      openId={open}
      onOpen={({ id }) => show(values, String(id))}
      news={news}
      filters={{ fields, values, onChange: (next) => show(next, open) }}
      code={[transactionsRequest(ledger, filter)]}
      csv={{ name: `${ledger}-transactions`, columns: transactionCsv, linesOf: postingLines }}
      status={<LiveStatus state={state} />}
      create={at === undefined && <NewTransaction ledger={ledger} />}
      none={at === undefined ? words.noTransactions : words.moment.noTransactions}
      panel={
        open !== undefined && (
          <Panel
            title={words.transactionTitle(open)}
            onClose={() => show(values, undefined)}
            onExpand={() =>
              void navigate({
                to: "/ledgers/$ledger/transactions/$id",
                params: { ledger, id: open },
              })
            }
          >
            <TransactionView ledger={ledger} id={open} />
          </Panel>
        )
      }
    />
  );
}
