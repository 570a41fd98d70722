import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { NewPolicy } from "./new-policy.tsx";
import { Foreign } from "#console/parts/base/address.tsx";
import type { CsvColumn } from "#console/parts/csv/csv.ts";
import { equals, filterOf } from "#console/parts/filters/api-filter.ts";
import { type FilterField, valuesIn } from "#console/parts/filters/filter-text.ts";
import { ListPage, oneLine } from "#console/parts/lists/list-page.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { AccountsName } from "#console/places/reconciliation/checks/check-picture.tsx";
import { PoolName } from "#console/places/reconciliation/common/names.tsx";
import { mayMakePolicies } from "#console/places/reconciliation/common/reach.ts";
import { listRequest } from "#console/places/reconciliation/common/requests.ts";
import type { Policy } from "#console/places/reconciliation/queries/common.ts";
import { policiesQuery } from "#console/places/reconciliation/queries/policies.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";
import { stringifyJson } from "#platform/json.ts";

/** The policies, newest first: which ledger is compared with which pool. */
export function PoliciesPage() {
  const words = reconciliationWords();
  const search = useSearch({ from: "/reconciliation/policies" });
  const navigate = useNavigate();
  const columns = useMemo(() => columnsOf(), []);
  const fields = useMemo(() => fieldsOf(), []);
  const values = valuesIn(search, fields);
  const filter = filterOf(values, CONDITIONS);
  return (
    <ListPage
      label={words.tabs.policies}
      query={policiesQuery(filter)}
      columns={columns}
      idOf={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: "/reconciliation/policies/$id", params: { id } })}
      filters={{
        fields,
        values,
        onChange: (next) =>
          void navigate({ to: "/reconciliation/policies", search: next, replace: true }),
      }}
      code={[listRequest("/api/reconciliation/policies", filter)]}
      csv={{ name: "policies", columns: CSV, linesOf: oneLine }}
      create={mayMakePolicies() ? <NewPolicy /> : null}
      none={words.policies.none}
    />
  );
}

const CONDITIONS = {
  name: (text: string) => ({ $like: { name: `%${text}%` } }),
  ledger: equals("ledgerName"),
};

function fieldsOf(): readonly FilterField[] {
  const { fields } = reconciliationWords();
  return [
    { id: "name", label: fields.name, example: "acquirer" },
    { id: "ledger", label: fields.ledger, example: "main" },
  ];
}

const CSV: readonly CsvColumn<Policy>[] = [
  ["id", ({ id }) => id],
  ["name", ({ name }) => name],
  ["ledgerName", ({ ledgerName }) => ledgerName],
  ["ledgerQuery", ({ ledgerQuery }) => stringifyJson(ledgerQuery)],
  ["paymentsPoolID", ({ paymentsPoolID }) => paymentsPoolID],
  ["createdAt", ({ createdAt }) => createdAt],
];

function columnsOf(): readonly Column<Policy>[] {
  const { fields } = reconciliationWords();
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
      id: "ledger",
      header: fields.ledger,
      width: 130,
      grow: 0.4,
      cell: ({ ledgerName }) => <Foreign>{ledgerName}</Foreign>,
      phone: "note",
    },
    {
      id: "accounts",
      header: fields.accounts,
      width: 140,
      grow: 0.6,
      rank: 2,
      cell: ({ ledgerQuery }) => <AccountsName query={ledgerQuery} />,
    },
    {
      id: "pool",
      header: fields.pool,
      width: 140,
      grow: 0.4,
      cell: ({ paymentsPoolID }) => <PoolName id={paymentsPoolID} />,
      phone: "note",
    },
    {
      id: "created",
      header: fields.created,
      width: 136,
      rank: 1,
      isNumber: true,
      cell: ({ createdAt }) => <Moment at={createdAt} />,
      phone: "end",
    },
  ];
}
