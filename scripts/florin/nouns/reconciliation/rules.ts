import { act } from "#scripts/florin/api/act.ts";
import type { ShownFields } from "#scripts/florin/api/fields.ts";
import { byMatch } from "#scripts/florin/api/filters.ts";
import { fileOption, readJsonInput } from "#scripts/florin/api/input.ts";
import { list } from "#scripts/florin/api/list.ts";
import { show } from "#scripts/florin/api/show.ts";
import { type Noun, UsageError } from "#scripts/florin/command.ts";

const LIST = "/api/reconciliation/rules";
const PATH = `${LIST}/{rule}`;

const FIELDS: ShownFields = {
  Id: "id",
  Name: "name",
  Enabled: "enabled",
  Kind: "templateKind",
  Specification: "templateSpec",
  Severity: "severity",
  Schedule: "schedule",
  Labels: "labels",
  "Made at": "createdAt",
};

const EVALUATION: ShownFields = {
  Id: "id",
  Result: "result",
  "Started at": "startedAt",
  "Ended at": "endedAt",
  Evidence: "evidence",
  Error: "error",
};

/** What lets a rule run, or keeps it from running. */
const enable = (summary: string, enabled: boolean) =>
  act({
    summary,
    parameters: ["rule"],
    method: "PATCH",
    path: PATH,
    scope: "reconciliation:write",
    body: () => ({ enabled }),
    says: (call) => `The rule ${call.parameter("rule")} is ${enabled ? "on" : "off"}.`,
  });

export const noun: Noun = {
  summary: "Rules of reconciliation, which compare books and raise alerts",
  verbs: {
    list: list({
      summary: "Lists the rules",
      path: LIST,
      scope: "reconciliation:read",
      columns: {
        Id: "id",
        Name: "name",
        Kind: "templateKind",
        Enabled: "enabled",
        Severity: "severity",
        Schedule: "schedule.kind",
      },
      empty: "There are no rules.",
    }),
    show: show({
      summary: "Shows a rule",
      parameters: ["rule"],
      path: PATH,
      scope: "reconciliation:read",
      fields: FIELDS,
    }),
    evaluations: list({
      summary: "Lists the evaluations, the last one first",
      path: "/api/reconciliation/evaluations",
      scope: "reconciliation:read",
      filters: byMatch({ ruleID: "text", result: "text" }),
      columns: {
        Id: "id",
        Rule: "ruleID",
        "Started at": "startedAt",
        Result: "result",
        Error: "error",
      },
      empty: "There are no such evaluations.",
    }),
    create: act({
      summary: "Creates a rule",
      options: { file: fileOption("a JSON file with the rule") },
      method: "POST",
      path: LIST,
      scope: "reconciliation:write",
      body: (call) => {
        const file = call.text("file");
        if (file === undefined) throw new UsageError("--file names the file of the rule.");
        return readJsonInput(file);
      },
      says: FIELDS,
    }),
    evaluate: act({
      summary: "Evaluates a rule now",
      parameters: ["rule"],
      options: { at: { kind: "text", meaning: "the moment that is looked at; now by default" } },
      method: "POST",
      path: `${PATH}/evaluate`,
      scope: "reconciliation:write",
      body: (call) => ({ at: call.text("at") }),
      says: EVALUATION,
    }),
    enable: enable("Lets a rule run by its schedule", true),
    disable: enable("Keeps a rule from running", false),
    delete: act({
      summary: "Deletes a rule",
      parameters: ["rule"],
      method: "DELETE",
      path: PATH,
      scope: "reconciliation:write",
      loses: (call) => ({
        name: call.parameter("rule"),
        loss: "The rule is deleted, and nothing brings it back.",
      }),
      says: (call) => `The rule ${call.parameter("rule")} is deleted.`,
    }),
  },
};
