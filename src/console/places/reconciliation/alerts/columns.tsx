import { AlertAmount, AlertSubject, subjectText } from "./subject.tsx";
import { Foreign } from "#console/parts/base/address.tsx";
import { formatCount } from "#console/parts/base/count.ts";
import type { CsvColumn } from "#console/parts/csv/csv.ts";
import type { Column } from "#console/parts/table/types.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { RuleLink } from "#console/places/reconciliation/common/names.tsx";
import { AlertStatus, SeverityName } from "#console/places/reconciliation/common/states.tsx";
import type { RuleAlert } from "#console/places/reconciliation/queries/common.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";
import { stringifyJson } from "#platform/json.ts";

export const ALERT_CSV: readonly CsvColumn<RuleAlert>[] = [
  ["id", ({ id }) => id],
  ["ruleID", ({ ruleID }) => ruleID],
  ["fingerprint", ({ fingerprint }) => fingerprint],
  ["periodID", ({ periodID }) => periodID],
  ["status", ({ status }) => status],
  ["severity", ({ severity }) => severity],
  ["occurrenceCount", ({ occurrenceCount }) => occurrenceCount],
  ["firstSeenAt", ({ firstSeenAt }) => firstSeenAt],
  ["lastSeenAt", ({ lastSeenAt }) => lastSeenAt],
  ["evidence", ({ evidence }) => (evidence === undefined ? undefined : stringifyJson(evidence))],
];

export const alertColumns = (): readonly Column<RuleAlert>[] => [
  ...subjectColumns(),
  ...courseColumns(),
];

/** What an alert is about, and where it stands. */
function subjectColumns(): readonly Column<RuleAlert>[] {
  const { fields, alerts } = reconciliationWords();
  return [
    {
      id: "subject",
      header: alerts.about,
      width: 170,
      grow: 1,
      cell: (alert) => (
        <span className="font-medium" title={subjectText(alert)}>
          <AlertSubject alert={alert} />
        </span>
      ),
      phone: "main",
    },
    {
      id: "rule",
      header: fields.rule,
      width: 130,
      grow: 0.7,
      cell: ({ ruleID }) => <RuleLink id={ruleID} />,
      phone: "note",
    },
    {
      id: "amount",
      header: fields.difference,
      width: 120,
      isNumber: true,
      cell: (alert) => <AlertAmount alert={alert} />,
      phone: "note",
    },
    {
      id: "status",
      header: fields.status,
      width: 150,
      cell: (alert) => <AlertStatus alert={alert} />,
      phone: "end",
    },
  ];
}

/** How grave an alert is, and when it was seen. */
function courseColumns(): readonly Column<RuleAlert>[] {
  const { fields } = reconciliationWords();
  return [
    {
      id: "severity",
      header: fields.severity,
      width: 72,
      rank: 3,
      cell: ({ severity }) => <SeverityName severity={severity} />,
    },
    {
      id: "period",
      header: fields.period,
      width: 96,
      rank: 4,
      cell: ({ periodID }) => (
        <span className="text-muted">
          <Foreign>{periodText(periodID)}</Foreign>
        </span>
      ),
    },
    {
      id: "count",
      header: fields.count,
      width: 56,
      rank: 2,
      isNumber: true,
      cell: ({ occurrenceCount }) => formatCount(occurrenceCount),
    },
    {
      id: "seen",
      header: fields.lastSeen,
      width: 120,
      rank: 1,
      isNumber: true,
      cell: ({ lastSeenAt }) => <Moment at={lastSeenAt} />,
    },
  ];
}

const CONTINUOUS = "continuous";

/** The period of an alert: a day, a week or a month as the API writes it, or none. */
export const periodText = (periodId: string): string =>
  periodId === CONTINUOUS ? reconciliationWords().cadence.continuous : periodId;
