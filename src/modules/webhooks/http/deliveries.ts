import { isDeepStrictEqual } from "node:util";
import type { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import {
  AttemptCursor,
  decodeCursor,
  DeliveryCursor,
  encodeCursor,
  ReplayCursor,
} from "./delivery-cursors.ts";
import {
  AttemptsQuery,
  AttemptsResponse,
  DeliveriesQuery,
  DeliveriesResponse,
  DeliveryParams,
  DeliveryResponse,
  PAGE_SIZE,
  PAGE_SIZE_MAX,
  REPLAY_WINDOW_MS_MAX,
  ReplayKey,
  ReplayRequest,
  ReplayResponse,
} from "./delivery-schemas.ts";
import { toAttemptView, toDeliveryView, toDetailView, toReplayView } from "./delivery-views.ts";
import { parseDeliveryId } from "#modules/webhooks/core/delivery-id.ts";
import { unknownDelivery } from "#modules/webhooks/core/failures.ts";
import { type BulkReplay, DeliveryService } from "#modules/webhooks/services/delivery-service.ts";
import { AppError } from "#platform/errors.ts";
import { type AppEnv, ok, operations, registration } from "#platform/http/index.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

const deliveries = operations({ path: "/deliveries", tags: ["Deliveries"], scope: "webhooks" });

/** Refuses an id that no delivery can have, before other faults of the request. Throws `NOT_FOUND`. */
function assertDeliveryId(id: string | undefined): void {
  if (parseDeliveryId(id ?? "") === undefined) throw unknownDelivery();
}

/** The idempotency key of a request. Throws `VALIDATION` if it is absent or too long. */
function keyOf(c: Context<AppEnv>): string {
  const key = ReplayKey.safeParse(c.req.header("idempotency-key"));
  if (key.success) return key.data;
  throw new AppError("VALIDATION", key.error.issues[0]?.message ?? "invalid Idempotency-Key");
}

function toListRequest(query: z.output<typeof DeliveriesQuery>) {
  if (query.cursor !== undefined)
    return decodeCursor(query.cursor, DeliveryCursor, "invalid cursor");
  const { configId, status, createdAtFrom, createdAtTo } = query;
  return {
    ...(configId === undefined ? {} : { configIds: [configId] }),
    ...(status === undefined ? {} : { statuses: [status] }),
    ...(createdAtFrom === undefined ? {} : { fromMs: toMsAfter(createdAtFrom) }),
    ...(createdAtTo === undefined ? {} : { toMs: toMillis(createdAtTo) }),
  };
}

/** The first whole millisecond that is not before a time. */
const toMsAfter = (time: Timestamp): number => {
  const ms = toMillis(time);
  return fromMillis(ms) < time ? ms + 1 : ms;
};

/** The statuses of a bulk replay that names none. */
const REPLAYABLE = ["failed", "pending"] as const;

/**
 * Translates a request and the cursor that it continues. Statuses and configs are sorted, so that two requests with the same
 * meaning are equal. Throws `VALIDATION` for a cursor of another request and for a window that is too long.
 */
function toBulkReplay(body: z.output<typeof ReplayRequest>, now: Timestamp): BulkReplay {
  const named = body.statuses ?? [];
  const statuses = named.length === 0 ? REPLAYABLE : [...new Set(named)].toSorted();
  const configIds =
    body.configIds === undefined || body.configIds.length === 0
      ? undefined
      : [...new Set(body.configIds)].toSorted();
  const fromMs = toMsAfter(body.createdAtFrom);
  const toMs = body.createdAtTo === undefined ? undefined : toMillis(body.createdAtTo);
  const filter = { statuses, fromMs, ...(configIds === undefined ? {} : { configIds }) };
  const limit = body.pageSize === undefined || body.pageSize === 0 ? PAGE_SIZE_MAX : body.pageSize;
  if (body.cursor === undefined) {
    assertWindow(fromMs, toMs ?? toMillis(now));
    return { ...filter, ...(toMs === undefined ? {} : { toMs }), limit };
  }
  const cursor = decodeCursor(body.cursor, ReplayCursor, "invalid replay cursor");
  const { after, toMs: frozenMs, ...others } = cursor;
  const isSame = isDeepStrictEqual(others, filter) && (toMs === undefined || toMs === frozenMs);
  if (!isSame) {
    throw new AppError("VALIDATION", "replay cursor does not match request filters");
  }
  return { ...filter, toMs: frozenMs, after, limit };
}

function assertWindow(fromMs: number, toMs: number): void {
  if (toMs >= fromMs && toMs - fromMs <= REPLAY_WINDOW_MS_MAX) return;
  throw new AppError("VALIDATION", "replay window must be positive and at most 90 days");
}

export const registerDeliveries = registration(
  deliveries.get("", {
    operationId: "getDeliveries",
    summary: "List deliveries, newest first",
    query: DeliveriesQuery,
    answer: ok.plain("A page of deliveries, without what they send", DeliveriesResponse),
    handle: async ({ query, context }) => {
      const limit = query.pageSize ?? PAGE_SIZE;
      const request = toListRequest(query);
      const { data, hasMore } = await DeliveryService.from(context).list({ ...request, limit });
      const last = hasMore ? data.at(-1) : undefined;
      const next =
        last === undefined
          ? {}
          : {
              next: encodeCursor({ ...request, after: { createdMs: last.createdMs, id: last.id } }),
            };
      const views = data.map((delivery) => toDeliveryView(delivery));
      return { cursor: { pageSize: limit, hasMore, ...next, data: views } };
    },
  }),
  deliveries.get("/{id}", {
    operationId: "getDelivery",
    summary: "Show a delivery and what it sends",
    params: DeliveryParams,
    answer: ok.plain("The delivery", DeliveryResponse),
    errors: [404],
    handle: async ({ params, context }) => {
      const detail = await DeliveryService.from(context).get(params.id);
      return { data: toDetailView(detail) };
    },
  }),
  deliveries.get("/{id}/attempts", {
    operationId: "getDeliveryAttempts",
    summary: "List the attempts of a delivery, newest first",
    description:
      "Where answers of the endpoint are long, a page may have fewer attempts than `pageSize`; `hasMore` tells whether there are further ones.",
    params: DeliveryParams,
    query: AttemptsQuery,
    before: (c) => assertDeliveryId(c.req.param("id")),
    answer: ok.plain("A page of attempts, those before replays included", AttemptsResponse),
    errors: [404],
    handle: async ({ params, query, context }) => {
      const limit = query.pageSize ?? PAGE_SIZE;
      const after =
        query.cursor === undefined
          ? undefined
          : decodeCursor(query.cursor, AttemptCursor, "invalid cursor");
      const { data, hasMore } = await DeliveryService.from(context).attempts(params.id, {
        limit,
        after,
      });
      const last = hasMore ? data.at(-1) : undefined;
      const next =
        last === undefined
          ? {}
          : { next: encodeCursor({ generation: last.generation, number: last.number }) };
      const views = data.map((attempt) => toAttemptView(params.id, attempt));
      return { cursor: { pageSize: limit, hasMore, ...next, data: views } };
    },
  }),
  deliveries.post("/{id}/replay", {
    operationId: "replayDelivery",
    summary: "Attempt a delivery again, at once",
    description:
      "One that failed begins anew; one that is pending does not wait any longer. The same `Idempotency-Key` gives the same answer for a day.",
    params: DeliveryParams,
    before: (c) => void keyOf(c),
    answer: ok.plain("The delivery, pending", DeliveryResponse),
    errors: [404, 409],
    handle: async ({ params, context, c }) => {
      const detail = await DeliveryService.from(context).replay(params.id, keyOf(c));
      return { data: toDetailView(detail) };
    },
  }),
  deliveries.post("/replay", {
    operationId: "replayDeliveries",
    summary: "Attempt the deliveries of some time again, at once",
    description:
      "A request takes a page of them, the oldest first; `nextCursor` goes on. Deliveries of inactive configs are left out. The same `Idempotency-Key` gives the same answer for a day.",
    body: ReplayRequest,
    before: (c) => void keyOf(c),
    answer: ok.plain("What was done", ReplayResponse),
    errors: [409],
    handle: async ({ body, context, c }) => {
      const input = toBulkReplay(body, context.clock());
      const result = await DeliveryService.from(context).replayMany(input, keyOf(c));
      const { statuses, configIds, fromMs } = input;
      const { hasMore, last: after, toMs } = result;
      const next =
        hasMore && after !== undefined
          ? encodeCursor({
              after,
              fromMs,
              toMs,
              statuses,
              ...(configIds === undefined ? {} : { configIds }),
            })
          : undefined;
      return { data: toReplayView(result, next) };
    },
  }),
);
