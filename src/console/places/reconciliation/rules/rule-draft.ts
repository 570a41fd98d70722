import { BEGINNINGS, type CheckDraft, draftOf, specificationOf } from "./check-draft.ts";
import { checkKinds } from "./check-fields.tsx";
import { type ScheduleDraft, scheduleDraftOf } from "./schedule-fields.tsx";
import { specOf } from "#console/places/reconciliation/checks/spec.ts";
import type { Rule, Severity } from "#console/places/reconciliation/queries/common.ts";

/** The values of the form of a rule. */
export interface RuleDraft {
  readonly name: string;
  readonly check: CheckDraft;
  readonly severity: Severity;
  readonly cadence: Rule["cadence"];
  readonly labels: string;
}

export interface NewRuleDraft extends RuleDraft {
  readonly schedule: ScheduleDraft;
}

const firstCheck = (): CheckDraft => {
  const [kind = "account_threshold"] = checkKinds();
  return { kind, ...BEGINNINGS[kind] };
};

export const emptyDraft = (): NewRuleDraft => ({
  name: "",
  check: firstCheck(),
  severity: "medium",
  cadence: "continuous",
  labels: "",
  schedule: scheduleDraftOf({ kind: "cron" }),
});

/** The values of a rule. A check that this page does not understand begins anew. */
export function ruleDraftOf(rule: Rule): RuleDraft {
  const spec = specOf(rule);
  const { name, severity, cadence, labels = {} } = rule;
  return {
    name,
    check: spec === undefined ? firstCheck() : draftOf(spec),
    severity,
    cadence,
    labels: Object.entries(labels)
      .map(([label, value]) => `${label}=${value}`)
      .join("\n"),
  };
}

/** What the forms of a new rule and of a changed one send alike. */
export const toRuleFields = ({ name, check, severity, labels }: RuleDraft) => ({
  name,
  templateKind: check.kind,
  templateSpec: specificationOf(check),
  severity,
  labels: labelsOf(labels) ?? {},
});

const LABEL = /^([^=]+)=(.*)$/s;

/** The labels of a text with one on each line; undefined for a line that is none. */
export function labelsOf(text: string): Readonly<Record<string, string>> | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const labels = lines.map((line) => LABEL.exec(line));
  if (labels.includes(null)) return undefined;
  return Object.fromEntries(labels.map((label) => [label?.[1] ?? "", label?.[2] ?? ""]));
}
