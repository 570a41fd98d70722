import type { StreamElement } from "#modules/ledger/bulk/elements.ts";
import type { Splitter } from "#modules/ledger/bulk/splitter.ts";
import type { Result } from "#platform/result.ts";

const encoder = new TextEncoder();

export const bytesOf = (text: string): Uint8Array => encoder.encode(text);

/** Splits bytes into chunks of the given sizes, and a last chunk with the rest. */
export function chunksOf(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let at = 0;
  for (const size of [...sizes, bytes.length]) {
    chunks.push(bytes.slice(at, at + size));
    at += size;
  }
  return chunks;
}

export const oneByOne = (bytes: Uint8Array): Uint8Array[] =>
  Array.from(bytes, (byte) => Uint8Array.of(byte));

/** The pieces into which a splitter divides chunks, up to the first failure. */
export function split<T>(splitter: Splitter<T>, chunks: readonly Uint8Array[]): Result<T>[] {
  const pieces: Result<T>[] = [];
  for (const given of [
    ...chunks.map((chunk) => () => splitter.push(chunk)),
    () => splitter.end(),
  ]) {
    for (const piece of given()) {
      pieces.push(piece);
      if (!piece.ok) return pieces;
    }
  }
  return pieces;
}

/** The values of pieces, and the message of the failure that ended them, if any. */
export const summaryOf = <T>(pieces: readonly Result<T>[]): (T | string)[] =>
  pieces.map((piece) => (piece.ok ? piece.value : `! ${piece.failure.message}`));

/** A stream whose elements are all available at once. */
export async function* elementsOf(
  items: Iterable<Result<StreamElement>>,
): AsyncGenerator<Result<StreamElement>> {
  yield* items;
}
