import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { deliveryStatus } from "./delivery-status.tsx";
import { DeliveryView } from "./delivery-view.tsx";
import { type Delivery, deliveriesQuery, deliveriesRequest } from "./queries.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import type { CsvColumn } from "#console/parts/csv/csv.ts";
import {
  type FilterField,
  type FilterValues,
  valuesIn,
} from "#console/parts/filters/filter-text.ts";
import { Panel } from "#console/parts/layout/panel.tsx";
import { ListPage, oneLine } from "#console/parts/lists/list-page.tsx";
import type { Column } from "#console/parts/table/types.ts";
import { isDate } from "#console/parts/time/instant.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { developerWords } from "#console/places/developers/words.ts";

const STATUSES = ["failed", "pending", "delivering", "succeeded", "cancelled"] as const;

/** The deliveries to an endpoint, newest first. A delivery opens beside the list. */
export function DeliveriesPage() {
  const words = developerWords().webhooks;
  const { id } = useParams({ from: "/developers/webhooks/$id" });
  const search = useSearch({ from: "/developers/webhooks/$id/" });
  const navigate = useNavigate();
  const fields = useMemo(() => fieldsOf(), []);
  const columns = useMemo(() => columnsOf(), []);
  const values = valuesIn(search, fields);
  const { open } = search;
  const show = useCallback(
    (next: FilterValues, openId: string | undefined) =>
      void navigate({
        to: "/developers/webhooks/$id",
        params: { id },
        search: openId === undefined ? next : { ...next, open: openId },
        replace: true,
      }),
    [navigate, id],
  );
  return (
    <ListPage
      label={words.deliveries}
      query={deliveriesQuery(id, values)}
      columns={columns}
      idOf={(row) => row.id}
      openId={open}
      onOpen={(row) => show(values, row.id)}
      filters={{ fields, values, onChange: (next) => show(next, open) }}
      code={[deliveriesRequest(id, values)]}
      csv={{ name: "deliveries", columns: CSV, linesOf: oneLine }}
      none={words.noDeliveries}
      panel={
        open !== undefined && (
          <Panel title={words.delivery} onClose={() => show(values, undefined)}>
            <DeliveryView id={open} configId={id} />
          </Panel>
        )
      }
    />
  );
}

function fieldsOf(): readonly FilterField[] {
  const words = developerWords().webhooks;
  return [
    {
      id: "status",
      label: words.state,
      example: "failed",
      choices: STATUSES.map((value) => ({ value, label: words.statuses[value] })),
    },
    { id: "after", label: words.after, example: "2026-11-01", accepts: isDate },
    { id: "before", label: words.before, example: "2026-12-01", accepts: isDate },
  ];
}

function columnsOf(): readonly Column<Delivery>[] {
  const words = developerWords().webhooks;
  return [
    {
      id: "when",
      header: words.when,
      width: 124,
      cell: ({ createdAt }) => <Moment at={createdAt} />,
      phone: "note",
    },
    {
      id: "type",
      header: words.event,
      width: 220,
      grow: 1,
      cell: ({ eventType }) => (
        <span className="font-mono text-note">
          <Foreign>{eventType}</Foreign>
        </span>
      ),
      phone: "main",
    },
    {
      id: "status",
      header: words.state,
      width: 120,
      cell: deliveryStatus,
      phone: "end",
    },
    {
      id: "answer",
      header: words.answer,
      width: 120,
      grow: 0.7,
      rank: 1,
      cell: ({ lastStatusCode, lastError, lastAttemptAt }) => (
        <span className="text-muted">
          {lastAttemptAt !== undefined && answerText(lastStatusCode, lastError)}
        </span>
      ),
    },
    {
      id: "attempts",
      header: words.attempts,
      width: 76,
      rank: 2,
      isNumber: true,
      cell: ({ attemptCount }) => attemptCount,
    },
  ];
}

const answerText = (code = 0, error = ""): string =>
  code === 0 ? error || developerWords().webhooks.noAnswer : String(code);

const CSV: readonly CsvColumn<Delivery>[] = [
  ["id", ({ id }) => id],
  ["createdAt", ({ createdAt }) => createdAt],
  ["eventType", ({ eventType }) => eventType],
  ["eventID", ({ eventID }) => eventID],
  ["status", ({ status }) => status],
  ["attempts", ({ attemptCount }) => attemptCount],
  ["lastAttemptAt", ({ lastAttemptAt }) => lastAttemptAt],
  ["lastStatusCode", ({ lastStatusCode }) => lastStatusCode],
  ["lastError", ({ lastError }) => lastError],
  ["nextAttemptAt", ({ nextAttemptAt }) => nextAttemptAt],
];
