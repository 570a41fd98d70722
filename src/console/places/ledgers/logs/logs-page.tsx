import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { logFields, logFilter } from "./log-filter.ts";
import { LogView, summaryOf } from "./log-view.tsx";
import { type LogEntry, logsQuery } from "./queries.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import type { CsvColumn } from "#console/parts/csv/csv.ts";
import { type FilterValues, valuesIn } from "#console/parts/filters/filter-text.ts";
import { Panel } from "#console/parts/layout/panel.tsx";
import { ListPage, oneLine } from "#console/parts/lists/list-page.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { logsRequest } from "#console/places/ledgers/requests.ts";
import { useMoments } from "#console/places/ledgers/time/moments.ts";
import { ledgerWords } from "#console/places/ledgers/words.ts";
import { stringifyJson } from "#platform/json.ts";

/** The log of a ledger: everything that changed it, newest first. An entry opens beside the list. */
export function LogsPage() {
  const words = ledgerWords();
  const { ledger } = useParams({ from: "/ledgers/$ledger/logs" });
  const search = useSearch({ from: "/ledgers/$ledger/logs" });
  const { at } = useMoments();
  const navigate = useNavigate();
  const fields = useMemo(() => logFields(), []);
  const columns = useMemo(() => columnsOf(), []);
  const values = valuesIn(search, fields);
  const { open } = search;
  const show = useCallback(
    (next: FilterValues, openId: string | undefined) =>
      void navigate({
        to: "/ledgers/$ledger/logs",
        params: { ledger },
        search: openId === undefined ? next : { ...next, open: openId },
        replace: true,
      }),
    [navigate, ledger],
  );
  const filter = logFilter(values, at);
  return (
    <ListPage
      label={words.logs.title}
      query={logsQuery(ledger, filter)}
      columns={columns}
      idOf={({ id }) => String(id)}
      openId={open}
      onOpen={({ id }) => show(values, String(id))}
      filters={{ fields, values, onChange: (next) => show(next, open) }}
      code={[logsRequest(ledger, { filter })]}
      csv={{ name: `${ledger}-log`, columns: CSV, linesOf: oneLine }}
      none={at === undefined ? words.logs.none : words.moment.noEntries}
      panel={
        open !== undefined && (
          <Panel
            title={words.logs.entry(open)}
            onClose={() => show(values, undefined)}
            onExpand={() => show({ id: open }, open)}
          >
            <LogView ledger={ledger} id={open} />
          </Panel>
        )
      }
    />
  );
}

function columnsOf(): readonly Column<LogEntry>[] {
  const words = ledgerWords().logs;
  return [
    {
      id: "when",
      header: ledgerWords().columns.when,
      width: 136,
      cell: ({ date }) => <Moment at={date} />,
      phone: "note",
    },
    {
      id: "type",
      header: words.type,
      width: 144,
      cell: ({ type }) => words.types[type],
      phone: "main",
    },
    {
      id: "subject",
      header: words.subject,
      width: 160,
      grow: 1,
      cell: (entry) => (
        <span className="font-mono text-note text-muted">
          <Foreign>{summaryOf(entry)}</Foreign>
        </span>
      ),
      phone: "note",
    },
    {
      id: "hash",
      header: words.hash,
      width: 150,
      rank: 1,
      cell: ({ hash }) => <span className="font-mono text-note text-faint">{hash}</span>,
    },
    {
      id: "id",
      header: words.id,
      width: 80,
      isNumber: true,
      cell: ({ id }) => <span className="text-faint">{String(id)}</span>,
      phone: "end",
    },
  ];
}

const CSV: readonly CsvColumn<LogEntry>[] = [
  ["id", ({ id }) => id],
  ["date", ({ date }) => date],
  ["type", ({ type }) => type],
  ["idempotencyKey", ({ idempotencyKey }) => idempotencyKey],
  ["schemaVersion", ({ schemaVersion }) => schemaVersion],
  ["hash", ({ hash }) => hash],
  ["data", ({ data }) => stringifyJson(data)],
];
