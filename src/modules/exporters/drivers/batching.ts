import { ConfigError, type ExporterConfig } from "./config.ts";
import { assertKnown, integerField, objectField, textField } from "./fields.ts";
import { parseDurationMs } from "#platform/duration.ts";
import { quoteJson } from "#platform/json.ts";

/** Limits by which entries are collected into batches. */
export interface Batching {
  /** Most entries of one batch; undefined for as many as one page of the log has. */
  readonly itemsMax: number | undefined;
  /** How long entries may wait for their batch to fill, in milliseconds. */
  readonly flushAfterMs: number;
}

/** A field that configs of all drivers may have. */
export const BATCHING = "batching";

/** How long entries wait where a config does not say, in milliseconds. */
const FLUSH_AFTER_MS = 1000;
/** Longest wait for a batch to fill, in milliseconds. */
const FLUSH_AFTER_MS_MAX = 3_600_000;

export function readBatching(config: ExporterConfig): Batching {
  const fields = objectField(config, BATCHING);
  assertKnown(fields, ["maxItems", "flushInterval"], BATCHING);
  const itemsMax = integerField(fields, `${BATCHING}.maxItems`) ?? 0;
  if (itemsMax < 0) {
    throw new ConfigError(
      `${BATCHING}.maxItems`,
      "flushBytes must be greater than 0: batching.maxItems is negative",
    );
  }
  const flushAfterMs = readFlushInterval(fields);
  return {
    itemsMax: itemsMax === 0 ? undefined : itemsMax,
    flushAfterMs: flushAfterMs === 0 ? FLUSH_AFTER_MS : flushAfterMs,
  };
}

/** The wait in milliseconds; 0 where the config has none. */
function readFlushInterval(fields: ExporterConfig): number {
  const path = `${BATCHING}.flushInterval`;
  const text = textField(fields, path);
  if (text === undefined) return 0;
  const flushAfterMs = parseDurationMs(text);
  if (flushAfterMs === undefined) {
    throw new ConfigError(path, `${path}: time: invalid duration ${quoteJson(text)}`, "malformed");
  }
  if (flushAfterMs > FLUSH_AFTER_MS_MAX) {
    throw new ConfigError(path, `${path} is longer than ${FLUSH_AFTER_MS_MAX / 60_000} minutes`);
  }
  return flushAfterMs;
}
