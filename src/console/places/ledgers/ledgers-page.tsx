import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { ledgerFields, ledgerFilter } from "./filters.ts";
import { NewLedger } from "./new-ledger.tsx";
import { activityQuery, type Ledger, ledgersQuery, statsQuery } from "./queries.ts";
import { ledgersRequest } from "./requests.ts";
import { ledgerWords } from "./words.ts";
import { may } from "#console/api/florin.ts";
import { formatCount } from "#console/parts/base/count.ts";
import { Sparkline } from "#console/parts/charts/sparkline.tsx";
import type { CsvColumn } from "#console/parts/csv/csv.ts";
import { valuesIn } from "#console/parts/filters/filter-text.ts";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { ListPage, oneLine } from "#console/parts/lists/list-page.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { stringifyJson } from "#platform/json.ts";

/** All ledgers that the person may read. */
export function LedgersPage() {
  const words = ledgerWords();
  const search = useSearch({ from: "/ledgers" });
  const navigate = useNavigate();
  const fields = useMemo(() => ledgerFields(), []);
  const columns = useMemo(() => columnsOf(), []);
  const values = valuesIn(search, fields);
  const filter = ledgerFilter(values);
  return (
    <>
      <PageTitle title={words.title} />
      <ListPage
        label={words.title}
        query={ledgersQuery(filter)}
        columns={columns}
        idOf={({ name }) => name}
        onOpen={({ name: ledger }) => void navigate({ to: "/ledgers/$ledger", params: { ledger } })}
        filters={{
          fields,
          values,
          onChange: (next) => void navigate({ to: "/ledgers", search: next, replace: true }),
        }}
        code={[ledgersRequest(filter)]}
        csv={{ name: "ledgers", columns: CSV, linesOf: oneLine }}
        create={may("ledger:write") ? <NewLedger /> : null}
        none={words.none}
      />
    </>
  );
}

function columnsOf(): readonly Column<Ledger>[] {
  const words = ledgerWords();
  return [
    {
      id: "name",
      header: words.ledger,
      width: 160,
      grow: 1,
      cell: ({ name }) => <span className="font-medium">{name}</span>,
      phone: "main",
    },
    {
      id: "bucket",
      header: words.bucket,
      width: 120,
      grow: 1,
      rank: 2,
      cell: ({ bucket }) => <span className="text-muted">{bucket}</span>,
      phone: "note",
      isNamed: true,
    },
    {
      id: "activity",
      header: words.activityOfMonth,
      width: 112,
      rank: 1,
      cell: ({ name }) => <Activity ledger={name} />,
    },
    {
      id: "transactions",
      header: words.transactions,
      width: 110,
      isNumber: true,
      cell: ({ name }) => <Count ledger={name} of="transactions" />,
      phone: "end",
    },
    {
      id: "accounts",
      header: words.accounts,
      width: 100,
      isNumber: true,
      cell: ({ name }) => <Count ledger={name} of="accounts" />,
    },
    {
      id: "created",
      header: words.created,
      width: 144,
      rank: 2,
      isNumber: true,
      cell: ({ addedAt }) => <Moment at={addedAt} />,
      phone: "note",
    },
  ];
}

const DAY_MS = 86_400_000;
const DAYS = 30;
/** Time for which a picture of activity is shown before it is read again, in milliseconds. */
const ACTIVITY_CURRENT_MS = 60_000;

/** The transactions of the last 30 days, a bar each. They are read when the row comes into view. */
function Activity({ ledger }: { readonly ledger: string }) {
  const [startTime] = useState(() => new Date(Date.now() - (DAYS - 1) * DAY_MS).toISOString());
  const { data } = useQuery({
    ...activityQuery(ledger, { interval: "day", startTime }),
    staleTime: ACTIVITY_CURRENT_MS,
  });
  if (data === undefined) return null;
  const counts = data.intervals.map(({ transactions }) => transactions);
  const sum = counts.reduce((total, count) => total + count, 0);
  return <Sparkline values={counts} label={ledgerWords().activityLabel(formatCount(sum))} />;
}

const CSV: readonly CsvColumn<Ledger>[] = [
  ["name", ({ name }) => name],
  ["bucket", ({ bucket }) => bucket],
  ["addedAt", ({ addedAt }) => addedAt],
  ["metadata", ({ metadata }) => stringifyJson(metadata)],
];

/** A count of a ledger, which is read when its row comes into view. */
function Count({
  ledger,
  of,
}: {
  readonly ledger: string;
  readonly of: "transactions" | "accounts";
}) {
  const { data } = useQuery({ ...statsQuery(ledger), staleTime: 15_000 });
  if (data === undefined) return null;
  const count = formatCount(data[of]);
  // A phone shows no headings.
  return of === "accounts" ? (
    count
  ) : (
    <>
      <span className="max-sm:hidden">{count}</span>
      <span className="sm:hidden">{ledgerWords().overview.count(count)}</span>
    </>
  );
}
