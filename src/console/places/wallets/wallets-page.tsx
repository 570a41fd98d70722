import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { NewWallet } from "./new-wallet.tsx";
import { isMetadata, type Wallet, walletsQuery } from "./queries.ts";
import { listRequests } from "./requests.ts";
import { walletWords } from "./words.ts";
import { may } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import type { CsvColumn } from "#console/parts/csv/csv.ts";
import { type FilterField, valuesIn } from "#console/parts/filters/filter-text.ts";
import { PageTitle } from "#console/parts/layout/page.tsx";
import { ListPage } from "#console/parts/lists/list-page.tsx";
import { Money } from "#console/parts/money/money.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import type { Integer } from "#openapi";

/** All wallets, with what their main balances hold. */
export function WalletsPage() {
  const words = walletWords();
  const search = useSearch({ from: "/wallets" });
  const navigate = useNavigate();
  const columns = useMemo(() => columnsOf(), []);
  const fields = useMemo(() => fieldsOf(), []);
  const values = valuesIn(search, fields);
  const filter = { name: search.name, metadata: search.metadata };
  return (
    <>
      <PageTitle title={words.title} />
      <ListPage
        label={words.title}
        query={walletsQuery(filter)}
        columns={columns}
        idOf={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: "/wallets/$id", params: { id } })}
        filters={{
          fields,
          values,
          onChange: (next) => void navigate({ to: "/wallets", search: next, replace: true }),
        }}
        code={listRequests(filter)}
        csv={{ name: "wallets", columns: CSV, linesOf }}
        create={may("wallets:write") ? <NewWallet /> : null}
        none={words.none}
      />
    </>
  );
}

interface Line {
  readonly wallet: Wallet;
  readonly asset: string | undefined;
  readonly amount: Integer | undefined;
}

const CSV: readonly CsvColumn<Line>[] = [
  ["id", ({ wallet }) => wallet.id],
  ["name", ({ wallet }) => wallet.name],
  ["asset", ({ asset }) => asset],
  ["amount", ({ amount }) => amount],
  ["createdAt", ({ wallet }) => wallet.createdAt],
];

/** A line of the file for each asset of a wallet's main balance, and one for a wallet without any. */
function linesOf(wallet: Wallet): readonly Line[] {
  const assets = Object.entries(wallet.balances.main.assets);
  return assets.length === 0
    ? [{ wallet, asset: undefined, amount: undefined }]
    : assets.map(([asset, amount]) => ({ wallet, asset, amount }));
}

function fieldsOf(): readonly FilterField[] {
  const words = walletWords().fields;
  return [
    { id: "name", label: words.name, example: "alice" },
    { id: "metadata", label: words.metadata, example: "tier=gold", accepts: isMetadata },
  ];
}

function columnsOf(): readonly Column<Wallet>[] {
  const words = walletWords();
  return [
    {
      id: "name",
      header: words.columns.name,
      width: 160,
      grow: 1,
      cell: (row) => (
        <span className="font-medium">
          <WalletName wallet={row} />
        </span>
      ),
      phone: "main",
    },
    {
      id: "id",
      header: words.columns.id,
      width: 290,
      rank: 1,
      cell: ({ id }) => <span className="font-mono text-note text-muted">{id}</span>,
    },
    {
      id: "created",
      header: words.columns.created,
      width: 144,
      rank: 2,
      cell: ({ createdAt }) => <Moment at={createdAt} />,
      phone: "note",
    },
    {
      id: "main",
      header: words.columns.main,
      width: 180,
      grow: 0.4,
      isNumber: true,
      cell: (row) => <Holdings row={row} />,
      phone: "end",
    },
  ];
}

/** The name of a wallet, which may be empty. */
export const WalletName = ({ wallet: { name } }: { readonly wallet: Pick<Wallet, "name"> }) =>
  name === "" ? (
    <span className="text-muted">{walletWords().nameless}</span>
  ) : (
    <Foreign>{name}</Foreign>
  );

function Holdings({ row }: { readonly row: Wallet }) {
  const [first, ...others] = Object.entries(row.balances.main.assets);
  if (first === undefined) return <span className="text-faint">–</span>;
  const [asset, amount] = first;
  const count = formatCount(others.length);
  return (
    <span className="inline-flex items-center gap-1.5">
      {others.length > 0 && (
        <span className="text-note text-faint" title={walletWords().more(count)}>
          +{count}
        </span>
      )}
      <Money amount={amount} asset={asset} />
    </span>
  );
}
