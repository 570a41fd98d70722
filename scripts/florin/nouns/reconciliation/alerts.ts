import { act } from "#scripts/florin/api/act.ts";
import type { ShownFields } from "#scripts/florin/api/fields.ts";
import { byMatch } from "#scripts/florin/api/filters.ts";
import { list } from "#scripts/florin/api/list.ts";
import { show } from "#scripts/florin/api/show.ts";
import { type Call, type Noun, type Option, UsageError } from "#scripts/florin/command.ts";

const LIST = "/api/reconciliation/alerts";
const PATH = `${LIST}/{alert}`;

const FIELDS: ShownFields = {
  Id: "id",
  Rule: "ruleID",
  Status: "status",
  Severity: "severity",
  "First seen": "firstSeenAt",
  "Last seen": "lastSeenAt",
  Times: "occurrenceCount",
  Evidence: "evidence",
  Acknowledged: "ack",
  Snoozed: "snooze",
  Resolved: "resolution",
};

const NOTE: Readonly<Record<"note", Option>> = {
  note: { kind: "text", meaning: "why, for those who look at the alert later" },
};

/** Who does it: the API keeps the name, which need not be that of the login. */
const BY: Readonly<Record<"by", Option>> = {
  by: { kind: "text", meaning: "the name of the person who does it" },
};

/** What a person does with an alert. */
const decision = (
  name: "ack" | "accept" | "resolve" | "snooze" | "unsnooze",
  summary: string,
  options: Readonly<Record<string, Option>>,
) =>
  act({
    summary,
    parameters: ["alert"],
    options: { ...options, ...BY },
    method: "POST",
    path: `${PATH}/${name}`,
    scope: "reconciliation:write",
    body: (call) => ({
      by: wanted(call, "by", "names the person who does it"),
      ...("note" in options ? { note: call.text("note") } : {}),
      ...("until" in options
        ? { until: wanted(call, "until", "says when the alert comes back") }
        : {}),
    }),
    says: FIELDS,
  });

function wanted(call: Call, option: string, meaning: string): string {
  const text = call.text(option);
  if (text === undefined) throw new UsageError(`--${option} ${meaning}.`);
  return text;
}

export const noun: Noun = {
  summary: "Alerts of reconciliation",
  verbs: {
    list: list({
      summary: "Lists the alerts, the last one first",
      path: LIST,
      scope: "reconciliation:read",
      filters: byMatch({ ruleID: "text", status: "text", severity: "text" }),
      columns: {
        Id: "id",
        Rule: "ruleID",
        Status: "status",
        Severity: "severity",
        "Last seen": "lastSeenAt",
        Times: "occurrenceCount",
      },
      empty: "There are no such alerts.",
    }),
    show: show({
      summary: "Shows an alert with its evidence",
      parameters: ["alert"],
      path: PATH,
      scope: "reconciliation:read",
      fields: FIELDS,
    }),
    history: list({
      summary: "Lists what has happened to an alert",
      parameters: ["alert"],
      path: `${PATH}/events`,
      scope: "reconciliation:read",
      columns: { Date: "at", Event: "type", Before: "prevStatus", After: "newStatus" },
      empty: "Nothing has happened to the alert.",
    }),
    acknowledge: decision("ack", "Says that somebody works on an alert", NOTE),
    accept: decision("accept", "Accepts the difference that an alert shows, for its period", NOTE),
    resolve: decision("resolve", "Says that the reason of an alert is gone", NOTE),
    snooze: decision("snooze", "Silences an alert for a time", {
      ...NOTE,
      until: { kind: "text", meaning: "the end, such as 2026-01-31T12:00:00Z" },
    }),
    wake: decision("unsnooze", "Ends the silence of an alert", {}),
  },
};
