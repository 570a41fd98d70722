import { describe, expect, test } from "vitest";
import { toLogView } from "#modules/ledger/wire/views.ts";
import { stringifyJson } from "#platform/json.ts";
import {
  ALL,
  at,
  create,
  deleteMetadata,
  posting,
  revert,
  script,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { exportOf, linesOf, plainJson } from "#test/support/ledger-engine/logs.ts";

/** A ledger with entries of every type, whose names and values are hard to write as JSON. */
function hardLedger(features: object = {}): TestLedger {
  const ledger = new TestLedger({ now: at("13:00"), features });
  const metadata = Object.fromEntries([
    ["__proto__", "p"],
    ["10", "ten"],
    ["9", "nine"],
    ["01", "no index"],
    ["4294967295", "beyond the last index"],
    ["😀", '\u2028 \u0001 <&> " \\ / 日本'],
    ["\ue000", "after it in UTF-16"],
    ["", ""],
  ]);
  const postings = [
    posting("world -> 10", 10n ** 30n),
    posting("10 -> 9", 9007199254740993n),
    posting("9 -> __proto__", 0),
    posting("__proto__ -> __proto__", 7, "EUR/2"),
    posting("world -> 10", 3, "EUR/2"),
  ];
  ledger.run(
    create(postings, {
      metadata,
      reference: 'r "1" <é>',
      force: true,
      accountMetadata: Object.fromEntries([
        ["b", metadata],
        ["10", {}],
        ["9", { k: "v" }],
        ["__proto__", { k: "v" }],
      ]),
    }),
    { key: 'ik "2" <3> é' },
  );
  ledger.run(script("send [A//1 5] (\n  source = @world\n  destination = @a\n)"));
  ledger.run(create(posting("world -> 10", 1), { timestamp: at("0001-01-01T00:00:00Z") }));
  ledger.run(create(posting("world -> 10", 1), { timestamp: at("9999-12-31T23:59:59.5Z") }));
  ledger.run(setMetadata(1, metadata));
  ledger.run(setMetadata("__proto__", metadata));
  ledger.run(setMetadata("c", {}));
  ledger.run(deleteMetadata(1, "😀"));
  ledger.run(deleteMetadata("nobody", "__proto__"));
  ledger.run(revert(1, { force: true, metadata, atEffectiveDate: true }));
  ledger.run(create(posting("world -> 10", 1), { timestamp: at("11:00") }));
  return ledger;
}

const listed = ({ engine }: TestLedger): string[] =>
  engine.reads.listLogs(ALL).data.map((entry) => stringifyJson(toLogView(entry)));

describe("an export", () => {
  test.each([
    {},
    { HASH_LOGS: "DISABLED" },
    { MOVES_HISTORY: "OFF" },
    { MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES: "DISABLED" },
  ])("an export of a log has the items of the list, one on each line: %j", (features) => {
    const ledger = hardLedger(features);
    const lines = linesOf(exportOf(ledger));
    expect(lines.map(plainJson)).toEqual(listed(ledger).map(plainJson));
    expect(lines).toHaveLength(11);
    expect(lines.filter((line) => /[<>&\u2028\u2029]/.test(line))).toEqual([]);
    // The official clients refuse an entry without a hash.
    const isText = (line: string) => /"hash":"([\w+/]{43}=)?"[,}]/.test(line);
    expect(lines.filter((line) => !isText(line))).toEqual([]);
  });

  test("an export of an empty log is empty", () => {
    const { engine } = new TestLedger();
    expect(engine.reads.exportLogs(-1)).toEqual({ text: "", after: -1, to: -1 });
  });

  test("an export of a log is made in parts, up to the entry that was the last when it began", () => {
    const ledger = new TestLedger();
    const commands = Array.from({ length: 2500 }, (_, index) =>
      create(posting(`world -> users:${index % 7}`, 1)),
    );
    ledger.bulk(commands);
    const first = ledger.engine.reads.exportLogs(-1);
    expect(first).toMatchObject({ after: 1000, to: 2500 });
    ledger.run(setMetadata("a", {}));
    const second = ledger.engine.reads.exportLogs(first.after, first.to);
    const third = ledger.engine.reads.exportLogs(second.after, second.to);
    expect([second.after, third.after, third.to]).toEqual([2000, 2500, 2500]);
    const lines = linesOf(first.text + second.text + third.text);
    expect(lines).toEqual(listed(ledger).slice(0, 2500));
  });

  test("an export of a log has small parts where entries are large", () => {
    const ledger = new TestLedger();
    const metadata = { k: "x".repeat(60_000) };
    for (let index = 0; index < 30; index++)
      ledger.run(create(posting("world -> a", 1), { metadata }));
    for (let index = 1; index <= 30; index++) ledger.run(revert(index, { force: true }));
    let page = ledger.engine.reads.exportLogs(-1);
    let count = linesOf(page.text).length;
    while (page.after < page.to) {
      expect(page.text.length).toBeLessThan(5_000_000);
      page = ledger.engine.reads.exportLogs(page.after, page.to);
      count += linesOf(page.text).length;
    }
    expect(count).toBe(60);
  });

  test("an export of a log has small parts where volumes are far larger than what moves them", () => {
    const ledger = new TestLedger();
    const amount = 10n ** 1000n - 1n;
    const names = Array.from({ length: 36 }, (_, index) => `a${index}`);
    for (const name of names)
      ledger.run(
        create([posting(`world -> ${name}`, amount), posting(`${name} -> world`, amount)]),
      );
    const pairs = names.slice(18).map((name, index) => posting(`a${index} -> ${name}`, 0));
    for (let index = 0; index < 20; index++) ledger.run(create(pairs));
    let [after, count] = [-1, 0];
    while (after < ledger.engine.lastLogId) {
      const page = ledger.engine.reads.exportLogs(after, ledger.engine.lastLogId);
      expect(page.text.length).toBeLessThan(5_000_000);
      count += linesOf(page.text).length;
      after = page.after;
    }
    expect(count).toBe(56);
  });
});
