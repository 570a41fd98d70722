import { act } from "#scripts/florin/api/act.ts";
import { money, type ShownFields } from "#scripts/florin/api/fields.ts";
import { byQuery } from "#scripts/florin/api/filters.ts";
import { list } from "#scripts/florin/api/list.ts";
import { show } from "#scripts/florin/api/show.ts";
import { type Noun, type Option, UsageError } from "#scripts/florin/command.ts";

const LIST = "/api/florin/v1/reconciliation/matchings";
const PATH = `${LIST}/{matching}`;

const FIELDS: ShownFields = {
  Id: "id",
  Name: "name",
  Left: "leftSourceID",
  Right: "rightSourceID",
  From: "period.from",
  To: "period.to",
  "Made at": "createdAt",
  "Last run": "lastRun",
};

const RUN: ShownFields = {
  Run: "id",
  State: "state",
  Matched: "matched",
  Proposed: "proposed",
  Open: "open",
  "Started at": "startedAt",
  "Ended at": "endedAt",
  Error: "error",
};

const NOTE: Readonly<Record<"note", Option>> = {
  note: { kind: "text", meaning: "why, for those who look at the group later" },
};

/** What a person decides about a group of lines. */
const decision = (name: "confirm" | "decline" | "break", summary: string, done: string) =>
  act({
    summary,
    parameters: ["matching", "group"],
    options: NOTE,
    method: "POST",
    path: `${PATH}/groups/{group}/${name}`,
    scope: "reconciliation:write",
    body: (call) => ({ note: call.text("note") }),
    says: (call) => `The group ${call.parameter("group")} is ${done}.`,
  });

export const noun: Noun = {
  summary: "Matchings of the lines of two sources",
  verbs: {
    list: list({
      summary: "Lists the matchings",
      path: LIST,
      scope: "reconciliation:read",
      columns: {
        Id: "id",
        Name: "name",
        From: "period.from",
        To: "period.to",
        "Last run": "lastRun.state",
        Matched: "lastRun.matched",
        Open: "lastRun.open",
      },
      empty: "There are no matchings.",
    }),
    show: show({
      summary: "Shows a matching",
      parameters: ["matching"],
      path: PATH,
      scope: "reconciliation:read",
      fields: FIELDS,
    }),
    create: act({
      summary: "Creates a matching of two sources",
      parameters: ["name", "left", "right"],
      options: {
        from: { kind: "text", meaning: "the first day, such as 2026-01-01" },
        to: { kind: "text", meaning: "the last day; open by default" },
      },
      method: "POST",
      path: LIST,
      scope: "reconciliation:write",
      body: (call) => {
        const from = call.text("from");
        if (from === undefined) throw new UsageError("--from names the first day.");
        return {
          name: call.parameter("name"),
          leftSourceID: call.parameter("left"),
          rightSourceID: call.parameter("right"),
          period: { from, to: call.text("to") },
        };
      },
      says: FIELDS,
    }),
    run: act({
      summary: "Matches what has come since the last run",
      parameters: ["matching"],
      method: "POST",
      path: `${PATH}/runs`,
      scope: "reconciliation:write",
      says: RUN,
    }),
    runs: list({
      summary: "Lists the runs of a matching, the last one first",
      parameters: ["matching"],
      path: `${PATH}/runs`,
      scope: "reconciliation:read",
      columns: RUN,
      empty: "The matching has not run.",
    }),
    breaks: list({
      summary: "Lists the lines that nothing matches",
      parameters: ["matching"],
      path: `${PATH}/breaks`,
      scope: "reconciliation:read",
      filters: byQuery("side", "class", "asset", "status", "assignee", "minDays"),
      columns: {
        Line: "id",
        Side: "side",
        Date: "date",
        Amount: money(),
        Class: "breakClass",
        Status: "status",
        Assignee: "assignee",
      },
      empty: "There are no such breaks.",
    }),
    groups: list({
      summary: "Lists the groups of lines that belong together, or may do so",
      parameters: ["matching"],
      path: `${PATH}/groups`,
      scope: "reconciliation:read",
      filters: byQuery("state", "pass", "run"),
      columns: {
        Group: "id",
        State: "state",
        Pass: "pass",
        Confidence: "confidence",
        Left: "left",
        Right: "right",
      },
      empty: "There are no such groups.",
    }),
    confirm: decision("confirm", "Confirms a proposed group", "matched"),
    decline: decision("decline", "Declines a proposed group", "declined"),
    break: decision("break", "Takes a matched group apart", "taken apart"),
    delete: act({
      summary: "Deletes a matching with all its decisions",
      parameters: ["matching"],
      method: "DELETE",
      path: PATH,
      scope: "reconciliation:write",
      loses: (call) => ({
        name: call.parameter("matching"),
        loss: "The matching is deleted with its runs, groups and decisions.",
      }),
      says: (call) => `The matching ${call.parameter("matching")} is deleted.`,
    }),
  },
};
