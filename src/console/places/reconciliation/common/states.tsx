import { Status, type Tone } from "#console/parts/base/status.tsx";
import type {
  RuleAlert,
  Evaluation,
  Reconciliation,
  Severity,
} from "#console/places/reconciliation/queries/common.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

export const RESULT_TONES: Readonly<Record<Evaluation["result"], Tone>> = {
  PASS: "good",
  FAIL: "bad",
  ERROR: "warn",
};

export const ResultStatus = ({ result }: Pick<Evaluation, "result">) => (
  <Status tone={RESULT_TONES[result]}>{reconciliationWords().result[result]}</Status>
);

const STATUS_TONES: Readonly<Record<RuleAlert["status"], Tone>> = {
  OPEN: "bad",
  ACKNOWLEDGED: "waits",
  RESOLVED: "good",
};

/** Whether nobody is told of the failures of an alert at the moment. */
export const isSnoozed = ({ status, snooze }: Pick<RuleAlert, "status" | "snooze">): boolean =>
  status !== "RESOLVED" && snooze !== undefined && Date.parse(snooze.until) > Date.now();

/** The state of an alert. One that is silenced says so, whether it is open or somebody is at it. */
export function AlertStatus({ alert }: { readonly alert: Pick<RuleAlert, "status" | "snooze"> }) {
  const { status, snoozed } = reconciliationWords();
  if (isSnoozed(alert)) return <Status tone="neutral">{snoozed}</Status>;
  return <Status tone={STATUS_TONES[alert.status]}>{status[alert.status]}</Status>;
}

const SEVERITY_CLASSES: Readonly<Record<Severity, string>> = {
  info: "text-muted",
  low: "text-muted",
  medium: "text-text",
  high: "font-medium text-warn",
  critical: "font-medium text-bad",
};

export const SeverityName = ({ severity }: { readonly severity: Severity }) => (
  <span className={SEVERITY_CLASSES[severity]}>{reconciliationWords().severity[severity]}</span>
);

export const ReconciliationStatus = ({ status }: Pick<Reconciliation, "status">) => (
  <Status tone={status === "OK" ? "good" : "bad"}>
    {reconciliationWords().policies.state[status]}
  </Status>
);
