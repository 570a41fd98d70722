import { randomUUID } from "node:crypto";
import { z } from "zod";
import { act } from "#scripts/florin/api/act.ts";
import type { ShownFields } from "#scripts/florin/api/fields.ts";
import { byQuery } from "#scripts/florin/api/filters.ts";
import { list } from "#scripts/florin/api/list.ts";
import { show } from "#scripts/florin/api/show.ts";
import { type Call, type Noun, type Outcome, UsageError } from "#scripts/florin/command.ts";

const PATH = "/api/webhooks/deliveries/{delivery}";

const FIELDS: ShownFields = {
  Id: "id",
  Event: "eventID",
  Type: "eventType",
  Webhook: "configID",
  Status: "status",
  Attempts: "attemptCount",
  "Made at": "createdAt",
  "Last attempt": "lastAttemptAt",
  "Last answer": "lastStatusCode",
  Error: "lastError",
  "Next attempt": "nextAttemptAt",
};

export const noun: Noun = {
  summary: "Deliveries of events to endpoints",
  verbs: {
    list: list({
      summary: "Lists the deliveries, the last one first",
      path: "/api/webhooks/deliveries",
      scope: "webhooks:read",
      filters: byQuery("configId", "status", "createdAtFrom", "createdAtTo"),
      columns: {
        Id: "id",
        "Made at": "createdAt",
        Type: "eventType",
        Webhook: "configID",
        Status: "status",
        Attempts: "attemptCount",
        Error: "lastError",
      },
      empty: "There are no such deliveries.",
    }),
    show: show({
      summary: "Shows a delivery",
      parameters: ["delivery"],
      path: PATH,
      scope: "webhooks:read",
      fields: FIELDS,
    }),
    attempts: list({
      summary: "Lists the attempts of a delivery, with what the endpoint answered",
      parameters: ["delivery"],
      path: `${PATH}/attempts`,
      scope: "webhooks:read",
      columns: {
        Attempt: "attemptNumber",
        Date: "createdAt",
        Outcome: "outcome",
        Answer: "statusCode",
        Milliseconds: "durationMillis",
        Error: "error",
      },
      empty: "Nothing was sent yet.",
    }),
    replay: act({
      summary: "Sends a delivery again",
      parameters: ["delivery"],
      method: "POST",
      path: `${PATH}/replay`,
      scope: "webhooks:write",
      isIdempotent: true,
      says: FIELDS,
    }),
    "replay-all": {
      summary: "Sends all deliveries of a time again that have failed, or wait",
      options: {
        from: {
          kind: "text",
          meaning: "the first date, such as 2026-01-31T12:00:00Z, at most 90 days before the end",
        },
        to: { kind: "text", meaning: "the end; now by default" },
        status: { kind: "list", meaning: "failed or pending; both by default" },
        webhooks: { kind: "list", meaning: "the only endpoints, by their ids" },
      },
      run: replayAll,
    },
  },
};

const Replayed = z.object({
  data: z.object({
    replayed: z.int(),
    expedited: z.int(),
    skipped: z.int(),
    hasMore: z.boolean(),
    nextCursor: z.string().optional(),
    createdAtTo: z.string(),
  }),
});

/** Replays page by page. A replay that breaks off may be begun again: what was sent meanwhile has not failed any more. */
async function replayAll(call: Call): Promise<Outcome> {
  const createdAtFrom = call.text("from");
  if (createdAtFrom === undefined) throw new UsageError("--from says from when on.");
  const [statuses, configIds] = [call.list("status"), call.list("webhooks")];
  const filter = {
    createdAtFrom,
    ...(statuses.length === 0 ? {} : { statuses }),
    ...(configIds.length === 0 ? {} : { configIds }),
  };
  const api = await call.connect(["webhooks:write"]);
  const done = { replayed: 0, expedited: 0, skipped: 0 };
  let page: object = { createdAtTo: call.text("to") };
  for (;;) {
    const { data } = await api.call({
      method: "POST",
      path: "/api/webhooks/deliveries/replay",
      headers: { "idempotency-key": randomUUID() },
      body: { ...filter, ...page },
      answer: Replayed,
    });
    for (const name of ["replayed", "expedited", "skipped"] as const) done[name] += data[name];
    if (!data.hasMore || data.nextCursor === undefined) break;
    page = { createdAtTo: data.createdAtTo, cursor: data.nextCursor };
    call.note(`  ${done.replayed + done.expedited} so far`);
  }
  const sentence = `${done.replayed} deliveries are sent again, ${done.expedited} that waited are sent now, and ${done.skipped} are left out.`;
  return { data: done, lines: [sentence] };
}
