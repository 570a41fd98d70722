import * as fc from "fast-check";

/** A change of bytes at a place, which is a fraction of the length. */
export interface Mutation {
  readonly kind: "flip" | "delete" | "insert" | "replace" | "truncate" | "swap" | "repeat";
  readonly at: number;
  readonly length: number;
  readonly bytes: Uint8Array;
}

/** Characters that formats give a meaning. */
const SIGNS = Array.from(
  new TextEncoder().encode("0123456789.,-+;:/?<>&\"'=|{}[]()CDRE \t\n\r"),
  (byte) => Uint8Array.of(byte),
);
const insertion = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...SIGNS) },
  { weight: 1, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 4 }) },
);

export const mutations = fc.array(
  fc.record<Mutation>({
    kind: fc.constantFrom("flip", "delete", "insert", "replace", "truncate", "swap", "repeat"),
    at: fc.nat(1_000_000),
    length: fc.oneof(
      fc.constant(1),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 400 }),
    ),
    bytes: insertion,
  }),
  { minLength: 1, maxLength: 4 },
);

/** The bytes of a file after a change. */
export function mutate(file: Uint8Array, { kind, at, length, bytes }: Mutation): Uint8Array {
  const start = Math.floor((at * file.byteLength) / 1_000_001);
  const end = Math.min(start + length, file.byteLength);
  const [before, middle, after] = [
    file.subarray(0, start),
    file.subarray(start, end),
    file.subarray(end),
  ];
  switch (kind) {
    case "flip": {
      const flipped = Uint8Array.from(middle.subarray(0, 1), (byte) => byte ^ (1 << (length % 8)));
      return join(before, flipped, file.subarray(start + 1));
    }
    case "delete":
      return join(before, after);
    case "insert":
      return join(before, bytes, middle, after);
    case "replace":
      return join(before, bytes, file.subarray(start + 1));
    case "truncate":
      return before;
    case "swap": {
      const next = file.subarray(end, end + length);
      return join(before, next, middle, file.subarray(end + length));
    }
    case "repeat":
      return join(before, middle, middle, after);
  }
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0));
  let start = 0;
  for (const part of parts) {
    joined.set(part, start);
    start += part.byteLength;
  }
  return joined;
}
