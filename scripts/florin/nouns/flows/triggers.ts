import { act } from "#scripts/florin/api/act.ts";
import { isObject, type ShownFields } from "#scripts/florin/api/fields.ts";
import { byQuery } from "#scripts/florin/api/filters.ts";
import { fileOption, pairsOf, readJsonInput } from "#scripts/florin/api/input.ts";
import { list } from "#scripts/florin/api/list.ts";
import { show } from "#scripts/florin/api/show.ts";
import { type Noun, UsageError } from "#scripts/florin/command.ts";

const PATH = "/api/orchestration/v2/triggers/{trigger}";

const FIELDS: ShownFields = {
  Id: "id",
  Name: "name",
  Event: "event",
  Filter: "filter",
  Workflow: "workflowID",
  Variable: "vars",
  "Made at": "createdAt",
};

export const noun: Noun = {
  summary: "Triggers, which start workflows after events",
  verbs: {
    list: list({
      summary: "Lists all triggers",
      path: "/api/orchestration/v2/triggers",
      scope: "orchestration:read",
      filters: byQuery("name"),
      columns: { Id: "id", Name: "name", Event: "event", Workflow: "workflowID", Filter: "filter" },
      empty: "There are no triggers.",
    }),
    show: show({
      summary: "Shows a trigger",
      parameters: ["trigger"],
      path: PATH,
      scope: "orchestration:read",
      fields: FIELDS,
    }),
    work: show({
      summary: "Shows what a trigger has done lately, and whether it is stopped",
      parameters: ["trigger"],
      path: "/api/florin/v1/triggers/{trigger}/work",
      scope: "orchestration:read",
      fields: {
        Waiting: "waiting",
        Evaluations: "evaluations",
        Matches: "matches",
        Failures: "failures",
        "Last error": "lastError",
        Owner: "ownerError",
        Stopped: "stopped",
      },
    }),
    occurrences: list({
      summary: "Lists the events for which a trigger has fired",
      parameters: ["trigger"],
      path: `${PATH}/occurrences`,
      scope: "orchestration:read",
      columns: { Id: "id", Date: "date", Instance: "workflowInstanceID", Error: "error" },
      empty: "The trigger has not fired.",
    }),
    create: act({
      summary: "Creates a trigger",
      parameters: ["event", "workflow"],
      options: {
        name: { kind: "text", meaning: "a name for the trigger" },
        filter: { kind: "text", meaning: "an expression that says for which events it fires" },
        var: { kind: "pairs", meaning: "a variable of the workflow, as an expression" },
      },
      method: "POST",
      path: "/api/orchestration/v2/triggers",
      scope: "orchestration:write",
      body: (call) => ({
        name: call.text("name"),
        event: call.parameter("event"),
        workflowID: call.parameter("workflow"),
        filter: call.text("filter"),
        vars: pairsOf("--var", call.pairs("var")),
      }),
      says: FIELDS,
    }),
    test: act({
      summary: "Says what a trigger would do with an event, and starts nothing",
      parameters: ["trigger"],
      options: { event: fileOption("a JSON file with the payload of the event") },
      method: "POST",
      path: `${PATH}/test`,
      scope: "orchestration:write",
      body: (call) => {
        const file = call.text("event");
        if (file === undefined) throw new UsageError("--event names the file of the event.");
        return readJsonInput(file);
      },
      says: {
        Fires: ({ filter }) => (isObject(filter) ? filter : "for every event"),
        Variable: "variables",
      },
    }),
    resume: act({
      summary: "Lets a trigger that was stopped fire again",
      parameters: ["trigger"],
      method: "POST",
      path: "/api/florin/v1/triggers/{trigger}/resume",
      scope: "orchestration:write",
      says: (call) => `The trigger ${call.parameter("trigger")} fires again.`,
    }),
    delete: act({
      summary: "Deletes a trigger",
      parameters: ["trigger"],
      method: "DELETE",
      path: PATH,
      scope: "orchestration:write",
      loses: (call) => ({
        name: call.parameter("trigger"),
        loss: "The trigger is deleted, and nothing brings it back.",
      }),
      says: (call) => `The trigger ${call.parameter("trigger")} is deleted.`,
    }),
  },
};
