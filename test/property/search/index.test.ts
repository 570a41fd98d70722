import * as fc from "fast-check";
import { expect, test } from "vitest";
import { indexedObject } from "#modules/search/core/indexed.ts";
import { documentOf } from "#modules/search/core/objects.ts";
import { clauseOf, matches, parseTerm } from "#modules/search/core/terms.ts";
import { Generations } from "#modules/search/engine/generations.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { runsOf } from "#test/support/runner/runs.ts";

/** Few different values, so that searches find something, and signs that mean something to FTS5 and to the index. */
const words = fc.constantFrom(
  "a",
  "ab",
  "abc",
  "AND",
  "b-c",
  'x"y',
  "n*",
  "é",
  "漢字",
  "0",
  "-",
  "😀",
);
const texts = fc.oneof(
  fc.array(words, { minLength: 1, maxLength: 4 }).map((list) => list.join(" ")),
  fc.string({ unit: "binary", maxLength: 8 }),
);
const addresses = fc.constantFrom("world", "a", "a:b", "a:b:c", "ab:c", "b:a");
const postings = fc.record({
  source: addresses,
  destination: addresses,
  amount: fc.oneof(
    fc.constantFrom(0n, 1n, 10n, 100n),
    fc.bigInt({ min: 2n ** 60n, max: 2n ** 70n }),
  ),
  asset: fc.constantFrom("EUR/2", "USD"),
});
const transactions = fc.record({
  id: fc.oneof(
    fc.bigInt({ min: 0n, max: 20n }),
    fc.bigInt({ min: 2n ** 32n, max: 2n ** 32n + 5n }),
  ),
  reference: fc.option(texts, { nil: undefined }),
  postings: fc.array(postings, { minLength: 1, maxLength: 2 }),
  metadata: fc.dictionary(fc.constantFrom("k", "l"), texts, { noNullPrototype: true }),
});
const names = fc.constantFrom("one", "two");

/** Stores transactions of a ledger together, or opens the index anew, as after a crash. */
const steps = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(names, fc.array(transactions, { maxLength: 80 })) },
  { weight: 1, arbitrary: fc.constant("reopen" as const) },
);
const terms = fc.oneof(
  texts,
  texts.map((text) => `reference=${text}`),
  texts.map((text) => `metadata.k=${text}`),
  addresses,
  addresses.map((address) => `source=${address}`),
  addresses.map((address) => `address=${address}`),
  fc.constantFrom("amount=10", "1", "eur/2", "asset=USD", "id=7", "=", "status=x"),
);

test("the index gives every transaction that matches, once, the newest first, in pages of any size", () => {
  fc.assert(
    fc.property(
      fc.array(steps, { minLength: 1, maxLength: 6 }),
      fc.array(fc.array(terms, { minLength: 0, maxLength: 3 }), { minLength: 1, maxLength: 8 }),
      fc.record({
        policy: fc.constantFrom("AND" as const, "OR" as const),
        limit: fc.integer({ min: 1, max: 30 }),
      }),
      (history, searches, { policy, limit }) => {
        const sql = new NodeSql();
        let { index } = new Generations(sql).ensureServing(0);
        // What each transaction was at its last time; the index may also give what it was before.
        const stored = new Map<string, object>();
        for (const step of history) {
          if (step === "reopen") {
            ({ index } = new Generations(sql).ensureServing(0));
            continue;
          }
          const [name, list] = step;
          const ids = new Map(list.map((transaction) => [`${transaction.id}`, transaction]));
          index.follow({ key: name, name });
          const objects = [...ids].map(([id, object]) => indexedObject("TRANSACTION", id, object));
          index.accept(name, objects);
          for (const [id, object] of ids) stored.set(`${name}/${id}`, object);
        }
        for (const wanted of searches) {
          const parsed = wanted.map(parseTerm);
          const isHit = (name: string): boolean =>
            matches(documentOf("TRANSACTION", { ...stored.get(name) }), parsed, policy);
          const found: string[] = [];
          const rows: number[] = [];
          for (let after: number | undefined; ;) {
            const clauses = parsed.map(clauseOf);
            const query = {
              kind: "TRANSACTION" as const,
              clauses,
              policy,
              patterns: [],
              after,
              limit,
            };
            const { candidates } = index.find(query);
            found.push(...candidates.map(({ ledger, key }) => `${ledger}/${key}`));
            rows.push(...candidates.map(({ row }) => row));
            after = candidates.at(-1)?.row;
            if (candidates.length < limit) break;
          }
          expect(rows).toEqual(rows.toSorted((a, b) => b - a));
          expect(new Set(found).size).toBe(found.length);
          expect(found.filter(isHit).toSorted()).toEqual(
            [...stored.keys()].filter(isHit).toSorted(),
          );
        }
        sql.close();
      },
    ),
    { numRuns: runsOf(200) },
  );
});
