import { act } from "#scripts/florin/api/act.ts";
import type { ShownFields } from "#scripts/florin/api/fields.ts";
import { list } from "#scripts/florin/api/list.ts";
import { show } from "#scripts/florin/api/show.ts";
import type { Noun } from "#scripts/florin/command.ts";

const LIST = "/api/ledger/v2/{ledger}/pipelines";
const PATH = `${LIST}/{pipeline}`;

const FIELDS: ShownFields = {
  Id: "id",
  Exporter: "exporterID",
  "Made at": "createdAt",
  Enabled: "enabled",
  "Last log": "lastLogID",
  Error: "error",
};

/** What changes the course of a pipeline. */
const change = (name: "start" | "stop" | "reset", summary: string, done: string) =>
  act({
    summary,
    parameters: ["ledger", "pipeline"],
    method: "POST",
    path: `${PATH}/${name}`,
    scope: "ledger:write",
    says: (call) => `The pipeline ${call.parameter("pipeline")} ${done}.`,
  });

export const noun: Noun = {
  summary: "Pipelines, which send the log of a ledger to an exporter",
  verbs: {
    list: list({
      summary: "Lists the pipelines of a ledger",
      parameters: ["ledger"],
      path: LIST,
      scope: "ledger:read",
      columns: FIELDS,
      empty: "The ledger has no pipelines.",
    }),
    show: show({
      summary: "Shows a pipeline",
      parameters: ["ledger", "pipeline"],
      path: PATH,
      scope: "ledger:read",
      fields: FIELDS,
    }),
    create: act({
      summary: "Creates a pipeline from a ledger to an exporter",
      parameters: ["ledger", "exporter"],
      method: "POST",
      path: LIST,
      scope: "ledger:write",
      body: (call) => ({ exporterID: call.parameter("exporter") }),
      says: FIELDS,
    }),
    start: change("start", "Lets a stopped pipeline go on", "goes on"),
    stop: change("stop", "Stops a pipeline, which keeps its place in the log", "is stopped"),
    reset: change("reset", "Sends the log again from its first entry", "begins at the first entry"),
    delete: act({
      summary: "Deletes a pipeline",
      parameters: ["ledger", "pipeline"],
      method: "DELETE",
      path: PATH,
      scope: "ledger:write",
      loses: (call) => ({
        name: call.parameter("pipeline"),
        loss: "The pipeline is deleted, with its place in the log.",
      }),
      says: (call) => `The pipeline ${call.parameter("pipeline")} is deleted.`,
    }),
  },
};
