import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  decodeKey,
  decodeMetadata,
  decodePostingsOf,
  decodeTransaction,
  encodeKey,
  encodeMetadata,
  encodeTransaction,
  type TransactionExtras,
} from "#ledger-engine/storage/payload.ts";
import { fromMicros } from "#platform/time.ts";
import { posting } from "#test/support/ledger-engine/fixtures.ts";

const ids = {
  account: (address: string) => ({ world: 1, a: 2, b: 3 })[address] ?? 0,
  asset: () => 1,
};

describe("the stored form of a transaction", () => {
  test("the stored form of the simplest transaction is three numbers, or four where it is not of the first asset", () => {
    expect(encodeTransaction([posting("world -> a", 1500)], {}, ids)).toBe("1,2,1500");
  });

  test("the stored form of a transaction leaves out what is empty", () => {
    const extras = { metadata: {}, accountMetadata: {} };
    expect(encodeTransaction([posting("world -> a", 1)], extras, ids)).toBe("1,2,1");
  });

  test.each(["", "1", "1,2,3,{", "1,2,03,{}", "1,2,3,{}x", "x,{}", '{"r":"1,{"}'])(
    "the stored form of a transaction is read no further than to its postings, if these are plain: %j",
    (payload) => {
      const isPlain = payload.startsWith("1,2,3,");
      const postings = isPlain ? [{ source: 1, destination: 2, asset: 1, amount: 3n }] : undefined;
      expect(attempted(() => decodePostingsOf(payload))).toEqual(
        postings ?? attempted(() => decodeTransaction(payload).postings),
      );
    },
  );

  test("the stored form of a transaction comes back exact, whatever it holds", () => {
    const text = fc.string({ unit: "grapheme" });
    const metadata = fc.dictionary(text, text);
    const volumes = fc.record({ input: fc.bigInt({ min: 0n }), output: fc.bigInt({ min: 0n }) });
    const timestamp = fc.bigInt(-62_135_596_800_000_000n, 253_402_300_799_999_999n).map(fromMicros);
    const extras: fc.Arbitrary<TransactionExtras> = fc.record(
      {
        timestamp,
        reference: text,
        metadata: metadata.filter((it) => Object.keys(it).length > 0),
        accountMetadata: fc.constant({ a: { k: "v" } }),
        effective: fc.array(volumes),
        reverts: fc.nat(),
        revertedMetadata: metadata,
      },
      { requiredKeys: [] },
    );
    const amounts = fc.array(fc.bigInt(0n, 10n ** 40n), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(amounts, extras, (amounts, extras) => {
        const postings = amounts.map((amount) => posting("a -> b", amount));
        const stored = amounts.map((amount) => ({ source: 2, destination: 3, asset: 1, amount }));
        const payload = encodeTransaction(postings, extras, ids);
        expect(decodeTransaction(payload)).toEqual({ postings: stored, ...extras });
        expect(decodePostingsOf(payload)).toEqual(stored);
      }),
    );
  });
});

describe("the stored form of a metadata entry", () => {
  const transaction = { type: "TRANSACTION", id: 7 } as const;
  const account = { type: "ACCOUNT", id: posting("7 -> a", 0).source } as const;

  test("the stored form of a metadata entry keeps the target: a number is a transaction, a text an account", () => {
    for (const target of [transaction, account]) {
      const metadata = JSON.parse('{"10":"a","9":"b","__proto__":"c"}') as Record<string, string>;
      expect(decodeMetadata(encodeMetadata({ target, metadata }, {})).entry).toEqual({
        target,
        metadata,
      });
      expect(decodeKey(encodeKey({ target, key: "__proto__" }, {})).entry).toEqual({
        target,
        key: "__proto__",
      });
    }
  });
});

function attempted(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return (error as Error).name;
  }
}
