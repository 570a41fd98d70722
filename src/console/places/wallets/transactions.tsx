import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { RECENT_MAX, transactionsQuery, type WalletTransaction } from "./queries.ts";
import { walletWords } from "./words.ts";
import { may } from "#console/api/florin.ts";
import { Address, Foreign } from "#console/parts/base/address.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { Money } from "#console/parts/money/money.tsx";
import { DataTable } from "#console/parts/table/data-table.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { Moment } from "#console/parts/time/moment.tsx";

/** The last transactions of a wallet's main balance. Each leads to its page in the ledger. */
export function Transactions({ wallet }: { readonly wallet: string }) {
  const words = walletWords().detail;
  const navigate = useNavigate();
  const columns = useMemo(() => columnsOf(wallet), [wallet]);
  const open = ({ id, ledger }: WalletTransaction): void =>
    void navigate({
      to: "/ledgers/$ledger/transactions/$id",
      params: { ledger, id: String(id) },
    });
  const { data, error, refetch } = useInfiniteQuery(transactionsQuery(wallet));
  if (error !== null && data === undefined)
    return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <LoadingRows rows={3} />;
  const rows = data.pages[0]?.rows.slice(0, RECENT_MAX) ?? [];
  if (rows.length === 0) return <p className="text-muted">{words.noTransactions}</p>;
  return (
    <div className="-mx-6 max-sm:-mx-4">
      <DataTable
        label={words.transactions}
        columns={columns}
        rows={rows}
        idOf={({ id }) => String(id)}
        {...(may("ledger:read") ? { onOpen: open } : {})}
      />
    </div>
  );
}

/** The beginning of the accounts of all holds. */
const HOLDS = "wallets:holds:";

/**
 * An account as a side of a wallet's transaction: a balance of the wallet by its name, the account of a hold as such, and any other one by its
 * address, which is shown on hover.
 */
function Side({ address, wallet }: { readonly address: string; readonly wallet: string }) {
  const own = `wallets:${wallet.replaceAll("-", "")}:`;
  if (address.startsWith(HOLDS)) return <span title={address}>{walletWords().detail.hold}</span>;
  if (!address.startsWith(own)) return <Address address={address} />;
  return (
    <span title={address}>
      {walletWords().detail.own}{" "}
      <span className="font-mono text-note">
        <Foreign>{address.slice(own.length)}</Foreign>
      </span>
    </span>
  );
}

function columnsOf(wallet: string): readonly Column<WalletTransaction>[] {
  const words = walletWords().columns;
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
      width: 130,
      grow: 1,
      rank: 1,
      cell: ({ postings: [first] }) =>
        first === undefined ? null : <Side address={first.source} wallet={wallet} />,
    },
    {
      id: "to",
      header: words.to,
      width: 130,
      grow: 1,
      cell: ({ postings }) => {
        const last = postings.at(-1);
        return last === undefined ? null : <Side address={last.destination} wallet={wallet} />;
      },
      phone: "main",
    },
    {
      id: "amount",
      header: words.amount,
      width: 150,
      isNumber: true,
      cell: ({ postings }) => <Amount postings={postings} />,
      phone: "end",
    },
    {
      id: "id",
      header: words.transaction,
      width: 90,
      rank: 2,
      isNumber: true,
      cell: ({ id }) => <span className="text-faint">{String(id)}</span>,
    },
  ];
}

/** What a transaction has moved. Its postings have one asset, because each movement of a wallet has one. */
function Amount({ postings }: Pick<WalletTransaction, "postings">) {
  const [first] = postings;
  if (first === undefined) return null;
  const sum = postings
    .filter(({ asset }) => asset === first.asset)
    .reduce((total, { amount }) => total + BigInt(amount), 0n);
  return <Money amount={sum} asset={first.asset} />;
}
