import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { NewLedger } from "./new-ledger.tsx";
import { type Ledger, ledgersQuery, statsQuery } from "./queries.ts";
import { ledgerWords } from "./words.ts";
import { may } from "#console/api/florin.ts";
import { formatCount } from "#console/parts/base/count.ts";
import { Empty } from "#console/parts/base/states.tsx";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { List } from "#console/parts/table/list.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { Moment } from "#console/parts/time/moment.tsx";

/** All ledgers that the person may read. */
export function LedgersPage() {
  const words = ledgerWords();
  const navigate = useNavigate();
  const columns = useMemo(() => columnsOf(), []);
  const create = may("ledger:write") ? <NewLedger /> : null;
  return (
    <>
      <PageTitle title={words.title} actions={create} />
      <List
        label={words.title}
        query={ledgersQuery()}
        columns={columns}
        idOf={({ name }) => name}
        onOpen={({ name: ledger }) => void navigate({ to: "/ledgers/$ledger", params: { ledger } })}
        empty={<Empty title={words.none}>{create}</Empty>}
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
      rank: 1,
      isNumber: true,
      cell: ({ addedAt }) => <Moment at={addedAt} />,
      phone: "note",
    },
  ];
}

/** A count of a ledger, which is read when its row comes into view. */
function Count({
  ledger,
  of,
}: {
  readonly ledger: string;
  readonly of: "transactions" | "accounts";
}) {
  const { data } = useQuery({ ...statsQuery(ledger), staleTime: 15_000 });
  return data === undefined ? null : formatCount(data[of]);
}
