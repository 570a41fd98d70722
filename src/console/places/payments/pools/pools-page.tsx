import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { NewPool } from "./new-pool.tsx";
import { type Pool, poolsQuery } from "./queries.ts";
import { may } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import type { CsvColumn } from "#console/parts/csv/csv.ts";
import { equals, filterOf } from "#console/parts/filters/api-filter.ts";
import { valuesIn } from "#console/parts/filters/filter-text.ts";
import { ListPage, oneLine } from "#console/parts/lists/list-page.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { listRequest } from "#console/places/payments/common/requests.ts";
import { paymentWords } from "#console/places/payments/words.ts";

/** The pools, newest first: accounts whose balances are read together. */
export function PoolsPage() {
  const words = paymentWords();
  const search = useSearch({ from: "/payments/pools" });
  const navigate = useNavigate();
  const columns = useMemo(() => columnsOf(), []);
  const fields = useMemo(
    () => [{ id: "name", label: paymentWords().fields.name, example: "treasury" }],
    [],
  );
  const values = valuesIn(search, fields);
  const filter = filterOf(values, CONDITIONS);
  return (
    <ListPage
      label={words.tabs.pools}
      query={poolsQuery(filter)}
      columns={columns}
      idOf={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: "/payments/pools/$id", params: { id } })}
      filters={{
        fields,
        values,
        onChange: (next) => void navigate({ to: "/payments/pools", search: next, replace: true }),
      }}
      code={[listRequest("/api/payments/v3/pools", filter)]}
      csv={{ name: "pools", columns: CSV, linesOf: oneLine }}
      create={may("payments:write") ? <NewPool /> : null}
      none={words.pools.none}
    />
  );
}

const CONDITIONS = { name: equals("name") };

const CSV: readonly CsvColumn<Pool>[] = [
  ["id", ({ id }) => id],
  ["name", ({ name }) => name],
  ["type", ({ type }) => type],
  ["accounts", ({ poolAccounts }) => poolAccounts.join(" ")],
  ["created_at", ({ createdAt }) => createdAt],
];

function columnsOf(): readonly Column<Pool>[] {
  const { fields, pools } = paymentWords();
  return [
    {
      id: "name",
      header: fields.name,
      width: 160,
      grow: 1,
      cell: ({ name }) => (
        <span className="font-medium">
          <Foreign>{name}</Foreign>
        </span>
      ),
      phone: "main",
    },
    {
      id: "type",
      header: fields.type,
      width: 150,
      grow: 0.5,
      cell: ({ type }) => <span className="text-muted">{pools.type[type]}</span>,
      phone: "note",
    },
    {
      id: "accounts",
      header: pools.accounts,
      width: 96,
      isNumber: true,
      cell: ({ type, poolAccounts }) =>
        type === "DYNAMIC" ? null : formatCount(poolAccounts.length),
      phone: "end",
      isNamed: true,
    },
    {
      id: "created",
      header: fields.created,
      width: 152,
      rank: 1,
      isNumber: true,
      cell: ({ createdAt }) => <Moment at={createdAt} />,
    },
  ];
}
