import { z } from "@hono/zod-openapi";
import { paymentEvent } from "#modules/payments/common/events.ts";
import { LINK_STATUSES, type LinkStatus } from "#modules/payments/core/enums.ts";
import { given } from "#modules/payments/core/given.ts";
import {
  type ConnectorId,
  encodeConnectorId,
  idempotencyKeyOf,
} from "#modules/payments/core/ids.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import type { EventTypeTable } from "#platform/events/event-types.ts";
import { TimestampOutput } from "#platform/http/schemas.ts";
import { formatTimestamp, type Timestamp } from "#platform/time.ts";

const Named = z.object({ psuID: z.string(), connectorID: z.string() });

const NAMED = {
  psuID: "6f1d7c1e-3a52-4c57-9d83-0d1c6f0a7b11",
  connectorID:
    "eyJQcm92aWRlciI6ImR1bW15cGF5IiwiUmVmZXJlbmNlIjoiMTExMTExMTEtMjIyMi00MzMzLTg0NDQtNTU1NTU1NTU1NTU1In0",
};

export const USER_EVENT_TYPES = {
  OPEN_BANKING_USER_LINK_STATUS: {
    description: "An attempt to link a user to a bank has ended.",
    payload: Named.extend({ status: z.enum(LINK_STATUSES), error: z.string().optional() }),
    example: { ...NAMED, status: "completed" },
  },
  OPEN_BANKING_USER_CONNECTION_DATA_SYNCED: {
    description: "The accounts or the payments of a user's connection were fetched.",
    payload: Named.extend({ connectionID: z.string(), at: TimestampOutput }),
    example: { ...NAMED, connectionID: "item-1", at: "2026-07-01T10:00:00Z" },
  },
  OPEN_BANKING_USER_CONNECTION_DISCONNECTED: {
    description: "A connection of a user does not work any more.",
    payload: Named.extend({
      connectionID: z.string(),
      errorType: z.literal("ERROR"),
      at: TimestampOutput,
      reason: z.string().optional(),
    }),
    example: {
      ...NAMED,
      connectionID: "item-1",
      errorType: "ERROR",
      at: "2026-07-01T10:00:00Z",
      reason: "the user has to log in again",
    },
  },
  OPEN_BANKING_USER_CONNECTION_PENDING_DISCONNECT: {
    description: "A connection of a user will soon not work any more.",
    payload: Named.extend({
      connectionID: z.string(),
      at: TimestampOutput,
      reason: z.string(),
    }),
    example: {
      ...NAMED,
      connectionID: "item-1",
      at: "2026-07-01T10:00:00Z",
      reason: "the consent expires",
    },
  },
  OPEN_BANKING_USER_DISCONNECTED: {
    description: "A user has left the provider.",
    payload: Named.extend({ at: TimestampOutput, reason: z.string().optional() }),
    example: { ...NAMED, at: "2026-07-01T10:00:00Z" },
  },
  OPEN_BANKING_USER_CONNECTION_RECONNECTED: {
    description: "A connection of a user that had an error works again.",
    payload: Named.extend({ connectionID: z.string(), at: TimestampOutput }),
    example: { ...NAMED, connectionID: "item-1", at: "2026-07-01T10:00:00Z" },
  },
} as const satisfies EventTypeTable;

/** The user and the connector of an event of open banking. */
export interface UserAtConnector {
  readonly userId: string;
  readonly connector: ConnectorId;
}

/** The event for the end of an attempt. Each attempt has one such event. */
export function linkStatusEvent(
  { userId, connector }: UserAtConnector,
  attempt: { readonly id: string; readonly status: LinkStatus; readonly error?: string },
  date: Timestamp,
): PlatformEvent {
  const { id, status, error } = attempt;
  const named = { psuID: userId, connectorID: encodeConnectorId(connector) };
  const payload = { ...named, status, ...given({ error }) };
  return paymentEvent({
    type: "OPEN_BANKING_USER_LINK_STATUS" satisfies keyof typeof USER_EVENT_TYPES,
    connector,
    key: idempotencyKeyOf({ ...payload, attemptID: id }),
    date,
    payload,
  });
}

interface ConnectionAtConnector extends UserAtConnector {
  readonly connectionId: string;
}

export const reconnectedEvent = (about: ConnectionAtConnector, at: Timestamp): PlatformEvent =>
  connectionEvent("OPEN_BANKING_USER_CONNECTION_RECONNECTED", about, at);

export const syncedEvent = (about: ConnectionAtConnector, at: Timestamp): PlatformEvent =>
  connectionEvent("OPEN_BANKING_USER_CONNECTION_DATA_SYNCED", about, at);

const connectionEvent = (
  type: keyof typeof USER_EVENT_TYPES,
  { connectionId, ...about }: ConnectionAtConnector,
  at: Timestamp,
): PlatformEvent => userEvent(type, about, { at, more: { connectionID: connectionId } });

/** The time of an event, and the reason that the provider has given. */
interface Happening {
  readonly at: Timestamp;
  readonly reason?: string;
}

export const disconnectedEvent = (
  about: UserAtConnector,
  { connectionId, at, reason }: Happening & { readonly connectionId: string },
): PlatformEvent =>
  userEvent("OPEN_BANKING_USER_CONNECTION_DISCONNECTED", about, {
    at,
    more: { connectionID: connectionId, errorType: "ERROR", ...given({ reason }) },
  });

export const pendingDisconnectEvent = (
  about: UserAtConnector,
  { connectionId, at, reason }: Happening & { readonly connectionId: string },
): PlatformEvent =>
  userEvent("OPEN_BANKING_USER_CONNECTION_PENDING_DISCONNECT", about, {
    at,
    more: { connectionID: connectionId, ...given({ reason }) },
  });

export const userDisconnectedEvent = (
  about: UserAtConnector,
  { at, reason }: Happening,
): PlatformEvent =>
  userEvent("OPEN_BANKING_USER_DISCONNECTED", about, { at, more: given({ reason }) });

function userEvent(
  type: keyof typeof USER_EVENT_TYPES,
  { userId, connector }: UserAtConnector,
  { at, more }: { readonly at: Timestamp; readonly more: object },
): PlatformEvent {
  const payload = {
    psuID: userId,
    connectorID: encodeConnectorId(connector),
    ...more,
    at: formatTimestamp(at),
  };
  return paymentEvent({ type, connector, key: idempotencyKeyOf(payload), date: at, payload });
}
