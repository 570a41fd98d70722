import type { FailedRequest } from "./queries.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Status } from "#console/parts/base/status.tsx";
import type { CsvColumn } from "#console/parts/csv/csv.ts";
import { locale } from "#console/parts/language/words.ts";
import { Who } from "#console/parts/principals/who.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { formatDuration } from "#console/parts/time/duration.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { developerWords } from "#console/places/developers/words.ts";

export function requestColumns(): readonly Column<FailedRequest>[] {
  const words = developerWords().requests;
  return [
    {
      id: "when",
      header: words.when,
      width: 116,
      cell: ({ date }) => <Moment at={date} />,
      phone: "note",
    },
    {
      id: "status",
      header: words.status,
      width: 64,
      cell: ({ status }) => <StatusCode status={status} />,
      phone: "end",
    },
    {
      id: "request",
      header: words.request,
      width: 200,
      grow: 1.4,
      cell: ({ method, path }) => (
        <span className="font-mono text-note">
          <span className="text-muted">{method}</span> <Foreign>{path}</Foreign>
        </span>
      ),
      phone: "main",
    },
    {
      id: "code",
      header: words.code,
      width: 120,
      grow: 0.6,
      rank: 1,
      cell: ({ code = "" }) => <span className="font-mono text-note">{code}</span>,
      phone: "note",
    },
    {
      id: "who",
      header: words.who,
      width: 120,
      grow: 0.8,
      rank: 2,
      cell: (row) => <Who principal={row} />,
    },
    {
      id: "duration",
      header: words.duration,
      width: 72,
      rank: 3,
      isNumber: true,
      cell: ({ durationMs }) => (
        <span className="text-muted">{formatDuration(durationMs, locale)}</span>
      ),
    },
  ];
}

export const StatusCode = ({ status }: { readonly status: number }) => (
  <Status tone={status >= 500 ? "bad" : "warn"}>{String(status)}</Status>
);

export const requestCsv: readonly CsvColumn<FailedRequest>[] = [
  ["date", ({ date }) => date],
  ["requestId", ({ requestId }) => requestId],
  ["method", ({ method }) => method],
  ["path", ({ path }) => path],
  ["operation", ({ operation }) => operation],
  ["status", ({ status }) => status],
  ["code", ({ code }) => code],
  ["message", ({ message }) => message],
  ["issuer", ({ issuer }) => issuer],
  ["subject", ({ subject }) => subject],
  ["clientId", ({ clientId }) => clientId],
  ["durationMs", ({ durationMs }) => durationMs],
];
