import { isGap, type RingEntry } from "./event-ring.ts";
import { quoteJson } from "#platform/json.ts";

/** How long a client waits before it connects again, in milliseconds. */
const RECONNECT_MS = 1000;

/** What an event stream begins with: the client knows its position before the first event. */
export const openingLines = (position: number): string =>
  `retry: ${RECONNECT_MS}\nid: ${position}\n\n`;

/** Shows that the stream lives, and how far it has come through events that the client does not want. */
export const heartbeatLines = (position: number): string => `: heartbeat\nid: ${position}\n\n`;

/** Says that events may be missing. */
export const gapLines = (position: number, reason: string): string =>
  `id: ${position}\nevent: gap\ndata: {"reason":${quoteJson(reason)}}\n\n`;

/** An event of a stream: its data is one line, as JSON has no line breaks of its own. */
export const entryLines = ({ sequence, item }: RingEntry): string =>
  isGap(item)
    ? gapLines(sequence, item.reason)
    : `id: ${sequence}\ndata: {"id":${quoteJson(item.id)},"event":${item.body}}\n\n`;
