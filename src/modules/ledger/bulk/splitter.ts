import { ELEMENT_BYTES_MAX } from "./limits.ts";
import type { FailureKind } from "#platform/errors.ts";
import type { Result } from "#platform/result.ts";

/**
 * Splits a stream of bytes into pieces, whatever its chunks are. A splitter never throws: a fault of the stream is its last result, after
 * which nothing may be pushed. The pieces of a chunk are made as they are taken.
 */
export interface Splitter<T> {
  push(chunk: Uint8Array): Iterable<Result<T>>;
  /** The last pieces, at the end of the stream. */
  end(): Iterable<Result<T>>;
}

export const failed = (message: string, kind: FailureKind = "VALIDATION") =>
  ({ ok: false, failure: { kind, message } }) as const;

export const tooLarge = () =>
  failed(`it is larger than ${ELEMENT_BYTES_MAX} bytes`, "BULK_SIZE_EXCEEDED");

/** Bytes as text, or undefined where they are not valid UTF-8. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined; // a malformed sequence is the only error
  }
}
