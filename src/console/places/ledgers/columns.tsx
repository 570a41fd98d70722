import type { Account, Transaction } from "./queries.ts";
import { ledgerWords } from "./words.ts";
import { Address, Foreign } from "#console/parts/base/address.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Money } from "#console/parts/money/money.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { Moment } from "#console/parts/time/moment.tsx";

export function transactionColumns(): readonly Column<Transaction>[] {
  const words = ledgerWords().columns;
  return [
    {
      id: "when",
      header: words.when,
      width: 136,
      cell: ({ timestamp }) => <Moment at={timestamp} />,
      phone: "note",
    },
    {
      id: "from",
      header: words.from,
      width: 120,
      grow: 1,
      cell: (row) => <Side row={row} side="source" />,
      phone: "note",
      isNamed: true,
    },
    {
      id: "to",
      header: words.to,
      width: 120,
      grow: 1,
      cell: (row) => <Side row={row} side="destination" />,
      phone: "main",
    },
    {
      id: "reference",
      header: words.reference,
      width: 110,
      grow: 0.7,
      rank: 2,
      cell: (row) => <Reference row={row} />,
    },
    {
      id: "amount",
      header: words.amount,
      width: 176,
      grow: 0.3,
      isNumber: true,
      cell: (row) => <Amount row={row} />,
      phone: "end",
    },
    {
      id: "id",
      header: words.id,
      width: 64,
      rank: 1,
      isNumber: true,
      cell: ({ id }) => <span className="text-faint">{String(id)}</span>,
    },
  ];
}

export function accountColumns(): readonly Column<Account>[] {
  const words = ledgerWords().columns;
  return [
    {
      id: "address",
      header: words.address,
      width: 160,
      grow: 1,
      cell: ({ address }) => <Address address={address} />,
      phone: "main",
    },
    {
      id: "firstUsed",
      header: words.firstUsed,
      width: 144,
      rank: 1,
      cell: ({ firstUsage }) => <Moment at={firstUsage} />,
      phone: "note",
      isNamed: true,
    },
    {
      id: "balance",
      header: words.balance,
      width: 240,
      isNumber: true,
      cell: (row) => <Balances row={row} />,
      phone: "end",
    },
  ];
}

function Side({
  row: { postings },
  side,
}: {
  readonly row: Transaction;
  readonly side: "source" | "destination";
}) {
  const addresses = [...new Set(postings.map((posting) => posting[side]))];
  const [first, ...others] = addresses;
  if (first === undefined) return <span className="text-faint">{ledgerWords().zeroAmount}</span>;
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <Address address={first} />
      <More count={others.length} />
    </span>
  );
}

function Amount({ row: { postings, reverted } }: { readonly row: Transaction }) {
  const [first, ...others] = postings;
  if (first === undefined) return null;
  return (
    <span className="flex items-center justify-end gap-1.5">
      <More count={others.length} />
      <span className={`truncate ${reverted ? "text-muted line-through" : ""}`}>
        <Money amount={first.amount} asset={first.asset} />
      </span>
    </span>
  );
}

const Reference = ({ row: { reference, reverted } }: { readonly row: Transaction }) => (
  <span className="text-muted">
    {reference !== undefined && <Foreign>{reference}</Foreign>}
    {reverted && <span className="ml-1 text-note text-warn">{ledgerWords().reverted}</span>}
  </span>
);

function Balances({ row: { volumes = {} } }: { readonly row: Account }) {
  const all = Object.entries(volumes);
  const first = all.find(([, { balance }]) => BigInt(balance) !== 0n) ?? all[0];
  if (first === undefined) return null;
  return (
    <span className="flex items-center justify-end gap-1.5">
      <More count={all.length - 1} />
      <span className="truncate">
        <Money amount={first[1].balance} asset={first[0]} />
      </span>
    </span>
  );
}

const More = ({ count }: { readonly count: number }) =>
  count === 0 ? null : (
    <span className="shrink-0 text-note text-faint" title={ledgerWords().more(formatCount(count))}>
      +{formatCount(count)}
    </span>
  );
