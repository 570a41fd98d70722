import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Command } from "#ledger-engine/rules/types.ts";
import { toLogView } from "#modules/ledger/wire/views.ts";
import { stringifyJson } from "#platform/json.ts";
import {
  ALL,
  at,
  create,
  deleteMetadata,
  element,
  insertSchema,
  posting,
  revert,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { plainJson, plainLines } from "#test/support/ledger-engine/logs.ts";
import { runsOf } from "#test/support/runner/runs.ts";

const name = fc.constantFrom("world", "world", "a", "b", "c:1", "10", "__proto__");
/** Mostly small amounts, so that most pages have volumes that numbers can hold, and some have larger ones from a point on. */
const amount = fc.oneof(
  { weight: 12, arbitrary: fc.bigInt({ min: 0n, max: 9n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: 2n ** 53n - 30n, max: 2n ** 53n + 2n }) },
);
const posted = fc
  .tuple(name, name, amount, fc.constantFrom("USD", "USD", "EUR/2"))
  .map(([from, to, of, asset]) => posting(`${from} -> ${to}`, of, asset));
const creation = fc
  .record({
    postings: fc.oneof(
      { weight: 4, arbitrary: fc.array(posted, { minLength: 1, maxLength: 1 }) },
      fc.array(posted, { minLength: 2, maxLength: 4 }),
    ),
    date: fc.option(fc.constantFrom("09:00", "11:00"), { freq: 4, nil: undefined }),
    metadata: fc.constantFrom({}, {}, { k: "v", "10": '"é' }),
  })
  .map(({ postings, date, metadata }) =>
    create(postings, {
      force: true,
      metadata,
      ...(date === undefined ? {} : { timestamp: at(date) }),
    }),
  );
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 12, arbitrary: creation },
  {
    weight: 2,
    arbitrary: fc.integer({ min: 1, max: 12 }).map((id) => revert(id, { force: true })),
  },
  { weight: 1, arbitrary: fc.constant(setMetadata("a", { tier: "gold" })) },
  { weight: 1, arbitrary: fc.constant(deleteMetadata("a", "tier")) },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 1, max: 99 })
      .map((version) => insertSchema(`v${version}`, SCHEMA)),
  },
);
const SCHEMA = { chart: { world: {}, a: {} }, transactions: {} };

type Step =
  | { readonly kind: "write"; readonly commands: readonly Command[] }
  | { readonly kind: "gap" }
  | { readonly kind: "forget" }
  | { readonly kind: "begin"; readonly export: number; readonly skipped: number }
  | { readonly kind: "page"; readonly export: number; readonly countMax: number };

const which = fc.nat({ max: 2 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("write" as const),
      commands: fc.array(command, { minLength: 1, maxLength: 6 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: "gap" }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: "forget" }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("begin" as const),
      export: which,
      skipped: fc.constantFrom(0, 0, 2, 7),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant("page" as const),
      export: which,
      countMax: fc.constantFrom(1, 3, 1000),
    }),
  },
);

/** Exports of one ledger, page by page. */
class Exports {
  readonly ledger = new TestLedger();
  readonly #places: { after: number; to: number | undefined }[] = [];

  /** Takes one step; returns the text of a page and its expected text. */
  run(taken: Step): readonly [text: string, expected: string] {
    const { engine } = this.ledger;
    if (taken.kind === "page") return this.#takePage(taken.export, taken.countMax);
    if (taken.kind === "write") {
      const elements = taken.commands.map((it) => element(it));
      this.ledger.bulk(elements, { continueOnFailure: true });
    } else if (taken.kind === "gap") {
      this.ledger.run(create(posting("world -> a", 1)), { dryRun: true });
    } else if (taken.kind === "forget") {
      engine.forgetRows();
    } else {
      const after = Math.min(taken.skipped, engine.lastLogId);
      this.#places[taken.export] = { after: after === 0 ? -1 : after, to: undefined };
    }
    return ["", ""];
  }

  #takePage(index: number, countMax: number): readonly [string, string] {
    const { reads } = this.ledger.engine;
    const place = (this.#places[index] ??= { after: -1, to: undefined });
    if (place.to !== undefined && place.after >= place.to) return ["", ""];
    const { after } = place;
    const page = reads.exportLogs(after, place.to, countMax);
    const listed = reads.listLogs(ALL).data.filter(({ id }) => id > after && id <= page.to);
    place.after = page.after;
    place.to = page.to;
    const items = listed.slice(0, countMax).map((it) => plainJson(stringifyJson(toLogView(it))));
    return [plainLines(page.text).join("\n"), items.join("\n")];
  }
}

test("pages of exports are the items of the list, wherever they begin and whatever happens between them", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const exports = new Exports();
      for (const it of steps) {
        const [text, expected] = exports.run(it);
        expect(text).toBe(expected);
      }
    }),
    { numRuns: runsOf(300) },
  );
});
