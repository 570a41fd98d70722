import { useMemo } from "react";
import { may } from "#console/api/florin.ts";
import { Address, Foreign } from "#console/parts/base/address.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Money } from "#console/parts/money/money.tsx";
import { useGo } from "#console/parts/routing/path-link.tsx";
import { DataTable } from "#console/parts/table/data-table.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import type { ClearingReport } from "#console/places/reconciliation/queries/clearing.ts";
import { sourceWords } from "#console/places/reconciliation/source-words.ts";

type OpenItem = ClearingReport["items"][number];

/** The open items, the oldest first. An item leads to the transaction that has opened it. */
export function OpenItems({ report }: { readonly report: ClearingReport }) {
  const words = sourceWords().clearing;
  const { ledger, items, moreItems } = report;
  const go = useGo();
  const columns = useMemo(() => columnsOf(), []);
  return (
    <>
      <div className="-mx-6 max-sm:-mx-4">
        <DataTable
          label={words.open}
          columns={columns}
          rows={items}
          idOf={({ account, asset, transactionID, item = "" }) =>
            `${account} ${asset} ${transactionID} ${item}`
          }
          {...(may("ledger:read")
            ? {
                onOpen: ({ transactionID }: OpenItem) =>
                  go(`/ledgers/${encodeURIComponent(ledger)}/transactions/${transactionID}`),
              }
            : {})}
        />
      </div>
      {moreItems > 0 && (
        <p className="mt-2 text-muted">{words.moreItems(formatCount(moreItems))}</p>
      )}
    </>
  );
}

function columnsOf(): readonly Column<OpenItem>[] {
  const { fields, age } = sourceWords().clearing;
  return [
    {
      id: "account",
      header: fields.account,
      width: 150,
      grow: 1,
      cell: ({ account }) => <Address address={account} />,
      phone: "main",
    },
    {
      id: "item",
      header: fields.item,
      width: 130,
      grow: 0.6,
      rank: 2,
      cell: ({ item, reference }) => <Foreign>{item ?? reference ?? ""}</Foreign>,
      phone: "note",
    },
    {
      id: "transaction",
      header: fields.transaction,
      width: 88,
      rank: 3,
      isNumber: true,
      cell: ({ transactionID }) => String(transactionID),
    },
    {
      id: "since",
      header: fields.since,
      width: 130,
      rank: 4,
      isNumber: true,
      cell: ({ timestamp }) => <Moment at={timestamp} />,
    },
    {
      id: "age",
      header: fields.age,
      width: 80,
      isNumber: true,
      cell: ({ days }) => age(formatCount(days)),
      phone: "note",
    },
    {
      id: "of",
      header: fields.of,
      width: 120,
      rank: 1,
      isNumber: true,
      cell: ({ amount, asset }) => (
        <span className="text-muted">
          <Money amount={amount} asset={asset} />
        </span>
      ),
    },
    {
      id: "open",
      header: fields.open,
      width: 120,
      isNumber: true,
      cell: ({ open, asset }) => <Money amount={open} asset={asset} />,
      phone: "end",
    },
  ];
}
