import * as fc from "fast-check";
import { expect, test } from "vitest";
import { toLogView } from "#modules/ledger/wire/views.ts";
import { stringifyJson } from "#platform/json.ts";
import {
  ALL,
  at,
  create,
  posting,
  revert,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { audited } from "#test/support/ledger-engine/in-node.ts";
import { copyOf, exportOf, plainJson, plainLines } from "#test/support/ledger-engine/logs.ts";
import { runsOf } from "#test/support/runner/runs.ts";

/** Names, some of which objects sort as numbers. */
const name = fc.constantFrom(
  "world",
  "a",
  "a-b",
  "a:1",
  "10",
  "9",
  "01",
  "4294967295",
  "__proto__",
);
const amount = fc.oneof(
  fc.bigInt({ min: 0n, max: 9n }),
  fc.bigInt({ min: 2n ** 52n - 2n, max: 2n ** 53n + 2n }),
);
const posted = fc
  .tuple(name, name, amount, fc.constantFrom("USD", "USD", "EUR/2"))
  .map(([from, to, of, asset]) => posting(`${from} -> ${to}`, of, asset));
const text = fc.oneof(
  fc.string(),
  fc.constantFrom('"', "\\", "\u2028", "é", '},"accountMetadata":'),
);
const creation = fc
  .record({
    postings: fc.oneof(
      { weight: 4, arbitrary: fc.array(posted, { minLength: 1, maxLength: 1 }) },
      fc.array(posted, { minLength: 2, maxLength: 4 }),
    ),
    date: fc.option(fc.constantFrom("09:00", "10:00", "11:00"), { freq: 3, nil: undefined }),
    metadata: fc.dictionary(text, text, { maxKeys: 2 }),
    reference: fc.option(text, { freq: 4, nil: undefined }),
    key: fc.option(text, { freq: 4, nil: undefined }),
  })
  .map(({ postings, date, metadata, reference, key }) => ({
    key: key ?? "",
    command: create(postings, {
      force: true,
      metadata,
      ...(date === undefined ? {} : { timestamp: at(date) }),
      ...(reference === undefined || reference === "" ? {} : { reference }),
    }),
  }));
const element = fc.oneof(
  { weight: 8, arbitrary: creation },
  fc.nat({ max: 10 }).map((id) => ({ key: "", command: revert(id, { force: true }) })),
);
const features = fc.constantFrom(
  {},
  { HASH_LOGS: "DISABLED" as const },
  { MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES: "DISABLED" as const },
);

test("the lines of an export are the items of the list, whatever is moved, and can be imported", () => {
  fc.assert(
    fc.property(features, fc.array(element, { maxLength: 12 }), (chosen, elements) => {
      const ledger = new TestLedger({ features: chosen });
      ledger.bulk(
        elements.map(({ key, command }) => ({
          command: { ok: true as const, value: command },
          idempotencyKey: key,
        })),
        { continueOnFailure: true },
      );
      const lines = exportOf(ledger);
      const listed = ledger.engine.reads.listLogs(ALL).data.map(toLogView);
      expect(plainLines(lines)).toEqual(listed.map((view) => plainJson(stringifyJson(view))));
      const copy = copyOf(ledger);
      expect(exportOf(copy)).toBe(lines);
      expect(audited(copy).differences).toEqual([]);
    }),
    { numRuns: runsOf(300) },
  );
});
