import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { accountsQuery } from "./queries.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import type { CsvColumn } from "#console/parts/csv/csv.ts";
import { equals, filterOf } from "#console/parts/filters/api-filter.ts";
import { type FilterField, valuesIn } from "#console/parts/filters/filter-text.ts";
import { ListPage, oneLine } from "#console/parts/lists/list-page.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { choicesOf, useConnectorField } from "#console/places/payments/common/fields.ts";
import { hasMetadata, isMetadata } from "#console/places/payments/common/filters.ts";
import { ConnectorsLink } from "#console/places/payments/common/names.tsx";
import type { AccountAtProvider } from "#console/places/payments/common/queries.ts";
import { listRequest } from "#console/places/payments/common/requests.ts";
import { paymentWords } from "#console/places/payments/words.ts";

/** The accounts at all providers, newest first. */
export function AccountsPage() {
  const words = paymentWords();
  const search = useSearch({ from: "/payments/accounts" });
  const navigate = useNavigate();
  const columns = useMemo(() => columnsOf(), []);
  const fields = useFields();
  const values = valuesIn(search, fields);
  const filter = filterOf(values, CONDITIONS);
  return (
    <ListPage
      label={words.tabs.accounts}
      query={accountsQuery(filter)}
      columns={columns}
      idOf={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: "/payments/accounts/$id", params: { id } })}
      filters={{
        fields,
        values,
        onChange: (next) =>
          void navigate({ to: "/payments/accounts", search: next, replace: true }),
      }}
      code={[listRequest("/api/payments/v3/accounts", filter)]}
      csv={{ name: "accounts", columns: CSV, linesOf: oneLine }}
      none={words.accounts.none}
      begin={<ConnectorsLink />}
    />
  );
}

const CONDITIONS = {
  type: equals("type"),
  connector: equals("connector_id"),
  reference: equals("reference"),
  name: equals("name"),
  asset: equals("default_asset"),
  metadata: hasMetadata,
};

function useFields(): readonly FilterField[] {
  const { fields, accountType } = paymentWords();
  const connector = useConnectorField();
  return [
    { id: "type", label: fields.type, example: "INTERNAL", choices: choicesOf(accountType) },
    connector,
    { id: "reference", label: fields.reference, example: "main-eur" },
    { id: "name", label: fields.name, example: "Main" },
    { id: "asset", label: fields.asset, example: "EUR/2" },
    { id: "metadata", label: fields.metadata, example: "order=1234", accepts: isMetadata },
  ];
}

const CSV: readonly CsvColumn<AccountAtProvider>[] = [
  ["id", ({ id }) => id],
  ["reference", ({ reference }) => reference],
  ["name", ({ name }) => name],
  ["type", ({ type }) => type],
  ["default_asset", ({ defaultAsset }) => defaultAsset],
  ["connector_id", ({ connectorID }) => connectorID],
  ["provider", ({ provider }) => provider],
  ["created_at", ({ createdAt }) => createdAt],
];

function columnsOf(): readonly Column<AccountAtProvider>[] {
  const { fields, accountType } = paymentWords();
  return [
    {
      id: "reference",
      header: fields.reference,
      width: 140,
      grow: 1,
      cell: ({ reference }) => (
        <span className="font-mono text-note">
          <Foreign>{reference}</Foreign>
        </span>
      ),
      phone: "main",
    },
    {
      id: "name",
      header: fields.name,
      width: 140,
      grow: 1,
      rank: 2,
      cell: ({ name = "" }) => <Foreign>{name}</Foreign>,
      phone: "note",
    },
    {
      id: "type",
      header: fields.type,
      width: 90,
      cell: ({ type }) => <span className="text-muted">{accountType[type]}</span>,
      phone: "end",
    },
    {
      id: "connector",
      header: fields.connector,
      width: 130,
      grow: 0.7,
      rank: 3,
      cell: ({ connector }) => (
        <span className="text-muted">
          <Foreign>{connector.name}</Foreign>
        </span>
      ),
      phone: "note",
    },
    {
      id: "asset",
      header: fields.asset,
      width: 80,
      rank: 4,
      cell: ({ defaultAsset = "" }) => (
        <span className="font-mono text-note text-muted">
          <Foreign>{defaultAsset}</Foreign>
        </span>
      ),
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
