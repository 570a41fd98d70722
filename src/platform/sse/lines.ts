import { quoteJson } from "#platform/json.ts";

/** How long a client waits before it connects again, in milliseconds. */
const RECONNECT_MS = 1000;

/** A position in a stream, which is the id of its events. */
export type StreamId = string | number;

/** The first lines of a stream, which tell the client its position before the first event. */
export const openingLines = (id: StreamId): string => `retry: ${RECONNECT_MS}\nid: ${id}\n\n`;

/** A heartbeat: the stream is alive and has passed `id`, perhaps by events that the client does not want. */
export const heartbeatLines = (id: StreamId): string => `: heartbeat\nid: ${id}\n\n`;

/** The event `gap`, which says that events may be missing here. */
export const gapLines = (id: StreamId, reason: string): string =>
  `id: ${id}\nevent: gap\ndata: {"reason":${quoteJson(reason)}}\n\n`;

/** The event `end`, after which the stream ends for good. */
export const endLines = (id: StreamId, reason: string): string =>
  `id: ${id}\nevent: end\ndata: {"reason":${quoteJson(reason)}}\n\n`;
