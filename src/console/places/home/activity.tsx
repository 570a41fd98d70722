import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type Latest, latestQuery } from "./queries.ts";
import { homeWords } from "./words.ts";
import { Address, Foreign } from "#console/parts/base/address.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Section } from "#console/parts/base/facts.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { Money } from "#console/parts/money/money.tsx";
import { useGo } from "#console/parts/routing/path-link.tsx";
import { DataTable } from "#console/parts/table/data-table.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { Moment } from "#console/parts/time/moment.tsx";

/** The latest transactions of the newest ledgers. */
export function Activity({ ledgers }: { readonly ledgers: readonly string[] }) {
  const words = homeWords().activity;
  const go = useGo();
  const columns = useMemo(() => columnsOf(ledgers.length > 1), [ledgers]);
  const { data, error, refetch } = useQuery(latestQuery(ledgers));
  return (
    <Section title={words.title}>
      {data === undefined && error === null && <LoadingRows rows={4} />}
      {data === undefined && error !== null && (
        <Failure error={error} retry={() => void refetch()} />
      )}
      {data?.length === 0 && <p className="text-muted">{words.none}</p>}
      {data !== undefined && data.length > 0 && (
        <div className="-mx-6 max-sm:-mx-4">
          <DataTable
            label={words.title}
            columns={columns}
            rows={data}
            idOf={({ ledger, id }) => `${ledger} ${String(id)}`}
            onOpen={({ ledger, id }) =>
              go(`/ledgers/${encodeURIComponent(ledger)}/transactions/${String(id)}`)
            }
          />
        </div>
      )}
    </Section>
  );
}

function columnsOf(hasLedger: boolean): readonly Column<Latest>[] {
  const words = homeWords().activity;
  return [
    {
      id: "when",
      header: words.when,
      width: 110,
      cell: ({ insertedAt }) => <Moment at={insertedAt} />,
      phone: "note",
    },
    ...(hasLedger
      ? [
          {
            id: "ledger",
            header: words.ledger,
            width: 150,
            grow: 1,
            rank: 2,
            cell: ({ ledger }: Latest) => (
              <span className="text-muted">
                <Foreign>{ledger}</Foreign>
              </span>
            ),
          },
        ]
      : []),
    {
      id: "from",
      header: words.from,
      width: 120,
      grow: 1,
      rank: 1,
      cell: ({ postings: [first] }) => first !== undefined && <Address address={first.source} />,
      phone: "note",
      isNamed: true,
    },
    {
      id: "to",
      header: words.to,
      width: 120,
      grow: 1,
      cell: ({ postings: [first] }) =>
        first !== undefined && <Address address={first.destination} />,
      phone: "main",
    },
    {
      id: "amount",
      header: words.amount,
      width: 150,
      isNumber: true,
      cell: ({ postings: [first, ...others] }) =>
        first !== undefined && (
          <>
            {others.length > 0 && (
              <span className="mr-2 text-note text-muted">
                {words.more(formatCount(others.length))}
              </span>
            )}
            <Money amount={first.amount} asset={first.asset} />
          </>
        ),
      phone: "end",
    },
  ];
}
