import { createHash } from "node:crypto";
import type { z } from "@hono/zod-openapi";
import type { AttemptsResponse, DeliveryResponse, ReplayResponse } from "./delivery-schemas.ts";
import type { AttemptRecord, DeliveryDetail, DeliveryRecord } from "#modules/webhooks/core/lane.ts";
import type { BulkReplayResult } from "#modules/webhooks/services/delivery-service.ts";
import { formatTimestamp, fromMillis } from "#platform/time.ts";

type DeliveryView = z.input<typeof DeliveryResponse>["data"];
type AttemptView = z.input<typeof AttemptsResponse>["cursor"]["data"][number];
type ReplayView = z.input<typeof ReplayResponse>["data"];

export const toDetailView = ({ delivery, body }: DeliveryDetail): DeliveryView =>
  toDeliveryView(delivery, body);

export function toDeliveryView(delivery: DeliveryRecord, payload?: string): DeliveryView {
  const { id, eventId, configId, eventType, status, attemptCount, replayGeneration } = delivery;
  return {
    id,
    eventID: eventId,
    ...(delivery.idempotencyKey === "" ? {} : { idempotencyKey: delivery.idempotencyKey }),
    configID: configId,
    eventType,
    ...(payload === undefined ? {} : { payload }),
    status,
    attemptCount,
    replayGeneration,
    ...dateOf("cycleStartedAt", delivery.cycleStartedMs),
    ...dateOf("nextAttemptAt", delivery.nextAttemptMs),
    ...dateOf("claimedAt", delivery.claimedMs),
    ...dateOf("lastAttemptAt", delivery.lastAttemptMs),
    ...(delivery.lastStatusCode === undefined ? {} : { lastStatusCode: delivery.lastStatusCode }),
    ...(delivery.lastError === undefined ? {} : { lastError: delivery.lastError }),
    createdAt: toDate(delivery.createdMs),
    updatedAt: toDate(delivery.updatedMs),
  };
}

export const toAttemptView = (deliveryId: string, attempt: AttemptRecord): AttemptView => ({
  id: toAttemptId(deliveryId, attempt),
  deliveryID: deliveryId,
  attemptNumber: attempt.number,
  replayGeneration: attempt.generation,
  endpoint: attempt.endpoint,
  outcome: attempt.outcome,
  statusCode: attempt.statusCode,
  ...(attempt.error === undefined ? {} : { error: attempt.error }),
  durationMillis: attempt.tookMs,
  ...(attempt.responseExcerpt === undefined ? {} : { responseExcerpt: attempt.responseExcerpt }),
  createdAt: toDate(attempt.atMs),
});

export const toReplayView = (
  result: BulkReplayResult,
  nextCursor: string | undefined,
): ReplayView => ({
  replayed: result.replayed,
  expedited: result.expedited,
  skipped: result.skipped,
  hasMore: result.hasMore,
  ...(nextCursor === undefined ? {} : { nextCursor }),
  createdAtTo: toDate(result.toMs),
});

/** The id of an attempt: a UUID of version 8, made of the SHA-256 of its delivery, generation and number, which identify it. */
function toAttemptId(deliveryId: string, { generation, number }: AttemptRecord): string {
  const hash = createHash("sha256").update(`${deliveryId}:${generation}:${number}`).digest("hex");
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}

const toDate = (ms: number): string => formatTimestamp(fromMillis(ms));

const dateOf = <K extends string>(key: K, ms: number | undefined) =>
  (ms === undefined ? {} : { [key]: toDate(ms) }) as Partial<Record<K, string>>; // TypeScript loses the name of a computed key
