import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { kindOf } from "./client-draft.ts";
import { NewClient } from "./new-client.tsx";
import { type Client, clientsQuery, ledgersOf, nameOf } from "./queries.ts";
import { toWire } from "#console/api/client.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import type { CsvColumn } from "#console/parts/csv/csv.ts";
import { ListPage, oneLine } from "#console/parts/lists/list-page.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { mayChangeAccess } from "#console/places/access/reach.ts";
import { LedgerNames } from "#console/places/access/scopes/ledgers-field.tsx";
import { ScopeLine } from "#console/places/access/scopes/scope-words.tsx";
import { accessWords } from "#console/places/access/words.ts";

/** The programs and applications that get tokens. */
export function ClientsPage() {
  const words = accessWords().clients;
  const navigate = useNavigate();
  const columns = useMemo(() => columnsOf(), []);
  return (
    <ListPage
      label={words.title}
      query={clientsQuery()}
      columns={columns}
      idOf={({ id }) => id}
      onOpen={({ id }) => void navigate({ to: "/access/clients/$id", params: { id } })}
      code={[toWire("get", "/api/auth/clients", {})]}
      csv={{ name: "clients", columns: CSV, linesOf: oneLine }}
      create={mayChangeAccess() ? <NewClient /> : null}
      none={words.none}
    />
  );
}

function columnsOf(): readonly Column<Client>[] {
  const words = accessWords().clients;
  return [
    {
      id: "name",
      header: words.name,
      width: 160,
      grow: 0.8,
      cell: (client) => (
        <span className="font-medium">
          <Foreign>{nameOf(client)}</Foreign>
        </span>
      ),
      phone: "main",
    },
    {
      id: "kind",
      header: words.kind,
      width: 140,
      grow: 0.5,
      rank: 2,
      cell: (client) => words.kinds[kindOf(client)],
      phone: "end",
    },
    {
      id: "scopes",
      header: words.rights,
      width: 200,
      grow: 1.2,
      cell: ({ scopes }) => <ScopeLine scopes={scopes} />,
      phone: "note",
    },
    {
      id: "ledgers",
      header: words.ledgers,
      width: 140,
      grow: 0.4,
      rank: 1,
      cell: (client) => <LedgerNames ledgers={ledgersOf(client)} />,
    },
    {
      id: "secrets",
      header: words.secrets,
      width: 80,
      rank: 3,
      isNumber: true,
      cell: ({ secrets }) => secrets.length,
    },
  ];
}

const CSV: readonly CsvColumn<Client>[] = [
  ["id", ({ id }) => id],
  ["name", ({ name }) => name],
  ["public", (client) => client.public],
  ["trusted", ({ trusted }) => trusted],
  ["scopes", ({ scopes }) => scopes.join(" ")],
  ["ledgers", ledgersOf],
  ["secrets", ({ secrets }) => secrets.length],
];
