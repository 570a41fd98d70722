import { FILE_BYTES_MAX } from "#modules/reconciliation/core/statements/model/limits.ts";
import {
  FILE_START,
  StatementError,
} from "#modules/reconciliation/core/statements/model/statement-error.ts";

/** The largest piece that is decoded at once. */
const PIECE_BYTES = 65_536;

/** The beginning of the file that must be there before its encoding is known. */
export const SNIFFED_BYTES = 1024;

/** Passes the bytes of a file on in pieces of at most `PIECE_BYTES`, of which the first is long enough to recognise the encoding. */
export async function* limitBytes(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let total = 0;
  let first: Uint8Array | undefined = new Uint8Array();
  for await (const chunk of chunks) {
    total += chunk.byteLength;
    if (total > FILE_BYTES_MAX) {
      const message = `The file is larger than ${FILE_BYTES_MAX} bytes.`;
      throw new StatementError("LIMIT", message, { ...FILE_START, byte: FILE_BYTES_MAX });
    }
    let bytes = chunk;
    if (first !== undefined) {
      bytes = first.byteLength === 0 ? chunk : join(first, chunk);
      first = bytes.byteLength < SNIFFED_BYTES ? bytes : undefined;
      if (first !== undefined) continue;
    }
    for (let start = 0; start < bytes.byteLength; start += PIECE_BYTES)
      yield bytes.subarray(start, start + PIECE_BYTES);
  }
  if (first !== undefined && first.byteLength > 0) yield first;
}

export function join(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.byteLength + b.byteLength);
  joined.set(a);
  joined.set(b, a.byteLength);
  return joined;
}
