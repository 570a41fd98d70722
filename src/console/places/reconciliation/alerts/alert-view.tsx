import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { AlertActions } from "./alert-actions.tsx";
import { periodText } from "./columns.tsx";
import { History } from "./history.tsx";
import { Note, References } from "./notes.tsx";
import { isEngineError } from "./subject.tsx";
import { Foreign } from "#console/parts/base/address.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import { Fact, Facts, Section } from "#console/parts/base/facts.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import { ComparisonRow } from "#console/places/reconciliation/checks/comparison-list.tsx";
import { ErrorNote } from "#console/places/reconciliation/checks/error-note.tsx";
import { comparisonOf } from "#console/places/reconciliation/checks/outcomes.ts";
import { specOf } from "#console/places/reconciliation/checks/spec.ts";
import { Labels } from "#console/places/reconciliation/common/labels.tsx";
import { IdFact, LINK, RuleLink, shortId } from "#console/places/reconciliation/common/names.tsx";
import { mayWrite } from "#console/places/reconciliation/common/reach.ts";
import {
  AlertStatus,
  isSnoozed,
  SeverityName,
} from "#console/places/reconciliation/common/states.tsx";
import { alertQuery } from "#console/places/reconciliation/queries/alerts.ts";
import type { RuleAlert } from "#console/places/reconciliation/queries/common.ts";
import { ruleQuery } from "#console/places/reconciliation/queries/rules.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** An alert: its newest numbers, what can be done, and what has happened to it. */
export function AlertView({ id }: { readonly id: string }) {
  const { data, error, refetch } = useQuery(alertQuery(id));
  if (error !== null && data === undefined)
    return <Failure error={error} retry={() => void refetch()} />;
  if (data === undefined) return <LoadingRows />;
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <span className="font-medium">
          <AlertStatus alert={data} />
        </span>
        <SeverityName severity={data.severity} />
      </p>
      {mayWrite() && <AlertActions alert={data} />}
      <div className="mt-6">
        <Section title={reconciliationWords().alerts.numbers}>
          <Numbers alert={data} />
        </Section>
      </div>
      <div className="mt-6">
        <AlertFacts alert={data} />
      </div>
      <Section title={reconciliationWords().alerts.history}>
        <History alert={data} />
      </Section>
    </>
  );
}

/** The numbers of the newest failure, or the error because of which there are none. */
function Numbers({ alert: { fingerprint, evidence = {}, ruleID } }: { readonly alert: RuleAlert }) {
  const rule = useQuery(ruleQuery(ruleID));
  const { error } = evidence;
  if (isEngineError({ fingerprint }))
    return <ErrorNote error={typeof error === "string" ? error : ""} />;
  const sources = rule.data === undefined ? [] : (specOf(rule.data)?.sources ?? []);
  const ledgers = sources.flatMap((source) => (source.kind === "ledger" ? [source.ledger] : []));
  const [ledger, ...others] = [...new Set(ledgers)];
  return (
    <ul className="rounded-md border border-line">
      <ComparisonRow
        comparison={comparisonOf(fingerprint, false, evidence)}
        ledger={others.length === 0 ? ledger : undefined}
      />
    </ul>
  );
}

function AlertFacts({ alert }: { readonly alert: RuleAlert }) {
  const { fields, alerts: words } = reconciliationWords();
  const { ruleID, periodID, firstSeenAt, lastSeenAt, occurrenceCount, lastEvaluationID } = alert;
  const { labels } = alert;
  return (
    <Facts>
      <Fact name={fields.rule}>
        <RuleLink id={ruleID} />
      </Fact>
      <Fact name={fields.period}>
        <Foreign>{periodText(periodID)}</Foreign>
      </Fact>
      <Fact name={fields.firstSeen}>
        <Moment at={firstSeenAt} isWhole />
      </Fact>
      <Fact name={fields.lastSeen}>
        <Moment at={lastSeenAt} isWhole />
        <span className="text-muted"> · {words.times(formatCount(occurrenceCount))}</span>
      </Fact>
      <Fact name={words.lastRun}>
        <Link
          to="/reconciliation/evaluations/$id"
          params={{ id: lastEvaluationID }}
          className={`${LINK} font-mono text-note`}
        >
          {shortId(lastEvaluationID)}
        </Link>
      </Fact>
      <Decisions alert={alert} />
      {labels !== undefined && (
        <Fact name={fields.labels}>
          <Labels labels={labels} />
        </Fact>
      )}
      <IdFact id={alert.id} />
    </Facts>
  );
}

/** What people have said of the alert, as it stands now. */
function Decisions({ alert }: { readonly alert: RuleAlert }) {
  const words = reconciliationWords().alerts;
  const { ack, resolution, snooze } = alert;
  return (
    <>
      {ack !== undefined && (
        <Fact name={words.ackBy}>
          <Foreign>{ack.by}</Foreign>
          <Note note={ack.note} />
        </Fact>
      )}
      {snooze !== undefined && isSnoozed(alert) && (
        <Fact name={words.snoozedUntil}>
          <Moment at={snooze.until} isWhole />
          <Note note={snooze.note} />
        </Fact>
      )}
      {resolution !== undefined && (
        <Fact name={words.resolvedBy}>
          {resolution.kind !== "auto" && (
            <>
              <Foreign>{resolution.by}</Foreign>
              {" · "}
            </>
          )}
          {words.resolution[resolution.kind]}
          <Note note={resolution.note} />
          <References refs={resolution.transactionRefs} />
        </Fact>
      )}
    </>
  );
}
