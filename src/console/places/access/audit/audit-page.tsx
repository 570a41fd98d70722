import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { AuditView } from "./audit-view.tsx";
import { apiFiltersOf, type AuditEntry, auditQuery } from "./queries.ts";
import { toWire } from "#console/api/client.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import type { CsvColumn } from "#console/parts/csv/csv.ts";
import {
  type FilterField,
  type FilterValues,
  valuesIn,
} from "#console/parts/filters/filter-text.ts";
import { Panel } from "#console/parts/layout/panel.tsx";
import { ListPage, oneLine } from "#console/parts/lists/list-page.tsx";
import { Who } from "#console/parts/principals/who.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { isDate } from "#console/parts/time/instant.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { accessWords } from "#console/places/access/words.ts";

/** Who changed what, newest first. A change opens beside the list, with all that its request changed. */
export function AuditPage() {
  const words = accessWords().audit;
  const search = useSearch({ from: "/access/audit" });
  const navigate = useNavigate();
  const fields = useMemo(() => fieldsOf(), []);
  const columns = useMemo(() => columnsOf(), []);
  const values = valuesIn(search, fields);
  const { open } = search;
  const show = useCallback(
    (next: FilterValues, openId: string | undefined) =>
      void navigate({
        to: "/access/audit",
        search: openId === undefined ? next : { ...next, open: openId },
        replace: true,
      }),
    [navigate],
  );
  return (
    <ListPage
      label={words.title}
      query={auditQuery(values)}
      columns={columns}
      idOf={openIdOf}
      openId={open}
      onOpen={(row) => show(values, openIdOf(row))}
      filters={{ fields, values, onChange: (next) => show(next, open) }}
      code={[toWire("get", "/api/florin/v1/audit", { query: apiFiltersOf(values) })]}
      csv={{ name: "audit", columns: CSV, linesOf: oneLine }}
      none={words.none}
      panel={
        open !== undefined && (
          <Panel title={words.one} onClose={() => show(values, undefined)}>
            <AuditView openId={open} />
          </Panel>
        )
      }
    />
  );
}

/** What the URL says of an open change: its id, and its request, by which it is found again. */
const openIdOf = ({ id, requestId }: AuditEntry): string => `${id}.${requestId}`;

function fieldsOf(): readonly FilterField[] {
  const words = accessWords().audit;
  return [
    { id: "subject", label: words.subject, example: "billing" },
    { id: "clientId", label: words.client, example: "billing" },
    { id: "action", label: words.action, example: "auth.client.create" },
    { id: "object", label: words.object, example: "ledgers/main" },
    { id: "after", label: words.after, example: "2026-11-01", accepts: isDate },
    { id: "before", label: words.before, example: "2026-12-01", accepts: isDate },
    { id: "requestId", label: words.requestId, example: "8c1f6f6e-…" },
  ];
}

function columnsOf(): readonly Column<AuditEntry>[] {
  const words = accessWords().audit;
  return [
    {
      id: "when",
      header: words.when,
      width: 124,
      cell: ({ date }) => <Moment at={date} />,
      phone: "note",
    },
    {
      id: "action",
      header: words.action,
      width: 180,
      grow: 0.8,
      cell: ({ action }) => (
        <span className="font-mono text-note">
          <Foreign>{action}</Foreign>
        </span>
      ),
      phone: "main",
    },
    {
      id: "object",
      header: words.object,
      width: 160,
      grow: 1,
      rank: 1,
      cell: ({ object }) => (
        <span className="font-mono text-note text-muted">
          <Foreign>{object}</Foreign>
        </span>
      ),
    },
    {
      id: "who",
      header: words.who,
      width: 140,
      grow: 0.8,
      rank: 2,
      cell: (row) => <Who principal={row} />,
      phone: "note",
    },
  ];
}

const CSV: readonly CsvColumn<AuditEntry>[] = [
  ["id", ({ id }) => id],
  ["date", ({ date }) => date],
  ["action", ({ action }) => action],
  ["object", ({ object }) => object],
  ["issuer", ({ issuer }) => issuer],
  ["subject", ({ subject }) => subject],
  ["clientId", ({ clientId }) => clientId],
  ["requestId", ({ requestId }) => requestId],
  ["note", ({ note }) => note],
];
