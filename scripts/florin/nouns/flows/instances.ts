import { z } from "zod";
import { act, callOnce, IDEMPOTENCY } from "#scripts/florin/api/act.ts";
import { rowsOf, type ShownFields } from "#scripts/florin/api/fields.ts";
import { byQuery } from "#scripts/florin/api/filters.ts";
import { pairsOf } from "#scripts/florin/api/input.ts";
import { list, streamOf } from "#scripts/florin/api/list.ts";
import { pathOf } from "#scripts/florin/api/paths.ts";
import { Data, show } from "#scripts/florin/api/show.ts";
import { columns } from "#scripts/florin/columns.ts";
import type { Noun } from "#scripts/florin/command.ts";
import type { Api } from "#scripts/lib/api.ts";

const PATH = "/api/orchestration/v2/instances/{instance}";

const FIELDS: ShownFields = {
  Id: "id",
  Workflow: "workflowID",
  State: "state",
  "Made at": "createdAt",
  "Ended at": "terminatedAt",
  Error: "error",
  Waits: "hold",
  Stage: "status",
};

export const noun: Noun = {
  summary: "Instances of workflows",
  verbs: {
    list: list({
      summary: "Lists the instances, the last one first",
      path: "/api/orchestration/v2/instances",
      scope: "orchestration:read",
      filters: byQuery("workflowID", "status", "running"),
      columns: {
        Id: "id",
        Workflow: "workflowID",
        State: "state",
        "Made at": "createdAt",
        "Ended at": "terminatedAt",
        Waits: "hold.reason",
        Error: "error",
      },
      empty: "There are no such instances.",
    }),
    show: show({
      summary: "Shows an instance, and what it waits for",
      parameters: ["instance"],
      path: PATH,
      scope: "orchestration:read",
      fields: FIELDS,
    }),
    start: {
      summary: "Starts an instance of a workflow",
      parameters: ["workflow"],
      options: {
        var: { kind: "pairs", meaning: "a variable of the workflow" },
        wait: { kind: "flag", meaning: "waits for the end of the instance, at most 50 seconds" },
        ...IDEMPOTENCY,
      },
      run: async (call) => {
        const path = pathOf("/api/orchestration/v2/workflows/{workflow}/instances", call);
        const body = pairsOf("--var", call.pairs("var"));
        const api = await call.connect(["orchestration:write"]);
        const query = { wait: call.flag("wait") ? "true" : undefined };
        const { data } = await callOnce(api, call, {
          method: "POST",
          path,
          query,
          body,
          answer: Data,
        });
        return { data, lines: columns(rowsOf(data, FIELDS)) };
      },
    },
    history: {
      summary: "Lists what has happened to an instance",
      parameters: ["instance"],
      run: async (call) => {
        const path = pathOf("/api/florin/v1/instances/{instance}/timeline", call);
        const api = await call.connect(["orchestration:read"]);
        const shown = { Date: "at", What: "kind", Stage: "stage", Details: "data" };
        return streamOf(moments(api, path), { columns: shown, empty: "Nothing has happened." });
      },
    },
    "send-event": act({
      summary: "Sends an instance an event for which it waits",
      parameters: ["instance", "event"],
      method: "POST",
      path: `${PATH}/events`,
      scope: "orchestration:write",
      body: (call) => ({ name: call.parameter("event") }),
      says: (call) => `The instance has the event ${call.parameter("event")}.`,
    }),
    retry: act({
      summary: "Lets an instance that has failed go on",
      parameters: ["instance"],
      method: "POST",
      path: "/api/florin/v1/instances/{instance}/retry",
      scope: "orchestration:write",
      says: FIELDS,
    }),
    stop: act({
      summary: "Ends an instance, whatever it is doing",
      parameters: ["instance"],
      method: "PUT",
      path: `${PATH}/abort`,
      scope: "orchestration:write",
      loses: (call) => ({
        name: call.parameter("instance"),
        loss: "The instance ends, and what it has not done is left undone.",
      }),
      says: (call) => `The instance ${call.parameter("instance")} has ended.`,
    }),
  },
};

const Timeline = z.object({ data: z.array(z.unknown()), hasMore: z.boolean() });

/** What has happened to an instance. Each answer of the API goes on after the moments before. */
async function* moments(api: Api, path: string): AsyncGenerator {
  let after = 0;
  for (;;) {
    const query = { after: String(after) };
    const { data, hasMore } = await api.call({ method: "GET", path, query, answer: Timeline });
    yield* data;
    after += data.length;
    if (!hasMore || data.length === 0) return;
  }
}
