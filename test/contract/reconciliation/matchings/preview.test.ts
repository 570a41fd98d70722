import { expect, test } from "vitest";
import { api } from "#test/support/platform/api.ts";
import { dataOf, failureOf } from "#test/support/reconciliation/books.ts";
import { newMatching } from "#test/support/reconciliation/matchings.ts";

const BY_REFERENCE = { name: "reference", keys: [{ left: "endToEndId" }], confidence: 100 };
const BY_AMOUNT = {
  name: "amount",
  amount: { kind: "tolerance", absolute: 5 },
  dates: { max: 5 },
  confidence: 60,
};

test("a preview tells what other passes would find and lose, and changes nothing", async () => {
  const matching = await newMatching({ passes: [BY_REFERENCE] });
  await matching.book(["left", "right"], "order-1");
  await matching.book(["left"], "", { amount: 500n });
  await matching.book(["right"], "", { amount: 503n });
  await matching.run();
  const preview = async (body: object) => dataOf(await api(`${matching.path}/preview`, { body }));
  const nothing = { count: 0, groups: [] };
  expect(await preview({})).toMatchObject({
    lookedAt: { lines: 4, from: "2026-02-10", to: "2026-02-10", isAll: true },
    matches: { count: 1, added: nothing, vanished: nothing },
    proposals: { count: 0, added: nothing, vanished: nothing },
    open: 2,
    breaks: { missing_left: 1, missing_right: 1 },
  });
  expect(await preview({ passes: [BY_AMOUNT], timingDays: 60 })).toMatchObject({
    matches: {
      count: 0,
      vanished: { count: 1, groups: [{ pass: "reference", left: [1], right: [3] }] },
    },
    proposals: { count: 2, added: { count: 2 } },
    open: 4,
    breaks: { unknown: 4 },
  });
  expect(await preview({ passes: [BY_REFERENCE, BY_AMOUNT], threshold: 60 })).toMatchObject({
    matches: {
      count: 2,
      added: {
        count: 1,
        groups: [{ pass: "amount", confidence: 60, left: [2], right: [4] }],
      },
      vanished: nothing,
    },
    open: 0,
    breaks: {},
  });
  expect(await matching.groups()).toHaveLength(1);
});

test("a preview leaves out what people have decided", async () => {
  const matching = await newMatching();
  await matching.book(["left", "right"], "");
  await matching.book(["left", "right"], "order-2", { amount: 7n });
  await matching.run();
  const [proposal] = await matching.groups("state=proposed");
  await dataOf(await matching.decide(proposal?.id ?? 0, "confirm"));
  const preview = await dataOf(await api(`${matching.path}/preview`, { body: {} }));
  expect(preview).toMatchObject({ lookedAt: { lines: 2 }, matches: { count: 1 } });
  await dataOf(await matching.decide(proposal?.id ?? 0, "break"));
  const after = await dataOf(await api(`${matching.path}/preview`, { body: {} }));
  expect(after).toMatchObject({ lookedAt: { lines: 4 }, proposals: { count: 0 }, open: 2 });
});

test("a preview before the first run looks at nothing, and refuses passes that a matching refuses", async () => {
  const { path } = await newMatching();
  expect(await dataOf(await api(`${path}/preview`, { body: {} }))).toMatchObject({
    lookedAt: { lines: 0, isAll: true },
    matches: { count: 0 },
    open: 0,
    breaks: {},
  });
  const twice = [BY_REFERENCE, { ...BY_REFERENCE, name: "again" }];
  const refused = await api(`${path}/preview`, { body: { passes: twice } });
  expect(await failureOf(refused)).toEqual([400, "VALIDATION"]);
});
