import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { InstallConnector } from "./install-form.tsx";
import { providerName } from "./provider-names.ts";
import { may } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Status } from "#console/parts/base/status.tsx";
import type { CsvColumn } from "#console/parts/csv/csv.ts";
import { equals, filterOf } from "#console/parts/filters/api-filter.ts";
import { valuesIn } from "#console/parts/filters/filter-text.ts";
import { ListPage, oneLine } from "#console/parts/lists/list-page.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { type ConnectorSummary, connectorsQuery } from "#console/places/payments/common/queries.ts";
import { listRequest } from "#console/places/payments/common/requests.ts";
import { connectorStatus } from "#console/places/payments/common/states.ts";
import { paymentWords } from "#console/places/payments/words.ts";

/** Time between two reads of the list, in milliseconds. */
const REFRESH_MS = 10_000;

/** All connectors with their health, newest first. */
export function ConnectorsPage() {
  const words = paymentWords();
  const search = useSearch({ from: "/payments/connectors" });
  const navigate = useNavigate();
  const columns = useMemo(() => columnsOf(), []);
  const fields = useMemo(() => fieldsOf(), []);
  const values = valuesIn(search, fields);
  const filter = filterOf(values, CONDITIONS);
  return (
    <ListPage
      label={words.tabs.connectors}
      query={{ ...connectorsQuery(filter), refetchInterval: REFRESH_MS }}
      columns={columns}
      idOf={({ connectorID }) => connectorID}
      onOpen={({ connectorID: id }) =>
        void navigate({ to: "/payments/connectors/$id", params: { id } })
      }
      filters={{
        fields,
        values,
        onChange: (next) =>
          void navigate({ to: "/payments/connectors", search: next, replace: true }),
      }}
      code={[listRequest("/api/florin/v1/payments/connectors/health", filter)]}
      csv={{ name: "connectors", columns: CSV, linesOf: oneLine }}
      create={may("payments:write") ? <InstallConnector /> : null}
      none={words.connectors.none}
    />
  );
}

const CONDITIONS = { name: equals("name"), provider: equals("provider") };

function fieldsOf() {
  const { name, provider } = paymentWords().fields;
  return [
    { id: "name", label: name, example: "Treasury bank" },
    { id: "provider", label: provider, example: "stripe" },
  ];
}

const CSV: readonly CsvColumn<ConnectorSummary>[] = [
  ["id", ({ connectorID }) => connectorID],
  ["name", ({ name }) => name],
  ["provider", ({ provider }) => provider],
  ["status", ({ status }) => status],
  ["since", ({ since }) => since],
  ["last_success", ({ lastSuccessAt }) => lastSuccessAt],
  ["last_error", ({ lastError }) => lastError],
];

function columnsOf(): readonly Column<ConnectorSummary>[] {
  const words = paymentWords().connectors;
  return [
    {
      id: "name",
      header: paymentWords().fields.name,
      width: 150,
      grow: 1,
      cell: ({ name }) => (
        <span className="font-medium">
          <Foreign>{name}</Foreign>
        </span>
      ),
      phone: "main",
    },
    {
      id: "provider",
      header: paymentWords().fields.provider,
      width: 120,
      rank: 1,
      cell: ({ provider }) => <span className="text-muted">{providerName(provider)}</span>,
      phone: "note",
    },
    {
      id: "state",
      header: words.state,
      width: 130,
      cell: ({ status }) => <Status {...connectorStatus(status)} />,
      phone: "end",
    },
    {
      id: "trouble",
      header: words.lastError,
      width: 160,
      grow: 2,
      rank: 2,
      cell: (row) => <Trouble row={row} />,
      phone: "note",
    },
    {
      id: "since",
      header: words.since,
      width: 152,
      rank: 3,
      isNumber: true,
      cell: ({ since }) => <Moment at={since} />,
    },
  ];
}

/** Why a connector is not well. An error of one that is well is past, and is not shown. */
const Trouble = ({ row: { status, lastError, movements } }: { readonly row: ConnectorSummary }) =>
  status === "healthy" ? null : (
    <span className="text-muted">
      <Foreign>{movements?.lastError ?? lastError ?? ""}</Foreign>
    </span>
  );
