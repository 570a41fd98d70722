import { isGap, type RingEntry } from "./event-ring.ts";
import { quoteJson } from "#platform/json.ts";
import { gapLines } from "#platform/sse/lines.ts";

/** The SSE event of an entry. Its data is one line, because JSON written by `stringifyJson` has no line breaks. */
export const entryLines = ({ sequence, item }: RingEntry): string =>
  isGap(item)
    ? gapLines(sequence, item.reason)
    : `id: ${sequence}\ndata: {"id":${quoteJson(item.id)},"event":${item.body}}\n\n`;
