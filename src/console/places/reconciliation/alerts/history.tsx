import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Note, References } from "./notes.tsx";
import { Foreign } from "#console/parts/base/address.tsx";
import { Button } from "#console/parts/base/button.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import type { Tone } from "#console/parts/base/status.tsx";
import { type TimelineEntry, Timeline } from "#console/parts/layout/timeline.tsx";
import { Money } from "#console/parts/money/money.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import { comparisonOf } from "#console/places/reconciliation/checks/outcomes.ts";
import { LINK } from "#console/places/reconciliation/common/names.tsx";
import { alertEventsQuery } from "#console/places/reconciliation/queries/alerts.ts";
import type { RuleAlert, AlertEvent } from "#console/places/reconciliation/queries/common.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** What has happened to an alert, newest first: what runs have found, and what people have done. */
export function History({ alert }: { readonly alert: RuleAlert }) {
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    ...alertEventsQuery(alert),
    placeholderData: (before) => before,
  });
  if (data === undefined) {
    return error === null ? (
      <LoadingRows rows={3} />
    ) : (
      <Failure error={error} retry={() => void refetch()} />
    );
  }
  const events = data.pages.flatMap((page) => page.rows);
  return (
    <>
      <Timeline entries={events.map((event) => toEntry(event, alert.fingerprint))} />
      {hasNextPage && (
        <Button kind="quiet" onClick={() => void fetchNextPage()}>
          {reconciliationWords().alerts.more}
        </Button>
      )}
    </>
  );
}

const TONES: Readonly<Record<AlertEvent["type"], Tone>> = {
  fail: "bad",
  pass: "good",
  ack: "waits",
  resolve: "good",
  accept: "good",
  snooze: "neutral",
  unsnooze: "neutral",
};

function toEntry(event: AlertEvent, fingerprint: string): TimelineEntry {
  const { id, at, type, notify } = event;
  const words = reconciliationWords().alerts;
  return {
    id,
    at,
    tone: TONES[type],
    title: <span className="wrap-anywhere">{titleOf(event)}</span>,
    note: (
      <>
        {type === "fail" ? (
          <Failed event={event} fingerprint={fingerprint} />
        ) : (
          <Done event={event} />
        )}
        {notify && <span className="block text-note">{words.notified}</span>}
      </>
    ),
  };
}

function titleOf({ type, isReopen, prevStatus, payload = {} }: AlertEvent): string {
  const { events } = reconciliationWords().alerts;
  if (type === "pass") return events.pass;
  if (type === "fail") {
    if (isReopen) return events.reopened;
    return prevStatus === undefined ? events.opened : events.fail;
  }
  return events[type](textIn(payload, "by") ?? "");
}

const textIn = (payload: Readonly<Record<string, unknown>>, name: string): string | undefined => {
  const value = payload[name];
  return typeof value === "string" ? value : undefined;
};

/** The number of a failure, and the run that has found it. */
function Failed({
  event: { evaluationID, payload = {} },
  fingerprint,
}: {
  readonly event: AlertEvent;
  readonly fingerprint: string;
}): ReactNode {
  const { difference, sides, asset } = comparisonOf(fingerprint, false, payload);
  const amount = difference ?? sides[0]?.amount;
  const error = textIn(payload, "error");
  return (
    <>
      {amount !== undefined && <Money amount={amount} asset={asset} />}
      {error !== undefined && <Foreign>{error}</Foreign>}
      {evaluationID !== undefined && (
        <Link
          to="/reconciliation/evaluations/$id"
          params={{ id: evaluationID }}
          className={`ml-2 ${LINK}`}
        >
          {reconciliationWords().alerts.run}
        </Link>
      )}
    </>
  );
}

/** What somebody has said beside the action: a note, references, or until when the alert is silenced. */
function Done({ event: { payload = {} } }: { readonly event: AlertEvent }): ReactNode {
  const until = textIn(payload, "until");
  const refs = payload["transactionRefs"];
  return (
    <>
      {until !== undefined && (
        <span className="block">
          {reconciliationWords().alerts.snoozedUntil} <Moment at={until} />
        </span>
      )}
      <Note note={textIn(payload, "note")} />
      <References refs={Array.isArray(refs) ? refs.map(String) : undefined} />
    </>
  );
}
