import { isGap, type RingEntry } from "./event-ring.ts";
import { quoteJson } from "#platform/json.ts";

/** How long a client waits before it connects again, in milliseconds. */
const RECONNECT_MS = 1000;

/** The first lines of a stream, which tell the client its position before the first event. */
export const openingLines = (position: number): string =>
  `retry: ${RECONNECT_MS}\nid: ${position}\n\n`;

/** A heartbeat: the stream is alive and has passed `position`, perhaps by events that the client does not want. */
export const heartbeatLines = (position: number): string => `: heartbeat\nid: ${position}\n\n`;

/** The SSE event `gap`, which says that events may be missing here. */
export const gapLines = (position: number, reason: string): string =>
  `id: ${position}\nevent: gap\ndata: {"reason":${quoteJson(reason)}}\n\n`;

/** The SSE event of an entry. Its data is one line, because JSON written by `stringifyJson` has no line breaks. */
export const entryLines = ({ sequence, item }: RingEntry): string =>
  isGap(item)
    ? gapLines(sequence, item.reason)
    : `id: ${sequence}\ndata: {"id":${quoteJson(item.id)},"event":${item.body}}\n\n`;
