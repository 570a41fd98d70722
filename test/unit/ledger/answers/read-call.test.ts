import { expect, test } from "vitest";
import { fromCallText, type ReadCall, toCallText } from "#modules/ledger/answers/read-call.ts";
import { ALL } from "#test/support/ledger-engine/fixtures.ts";

const page = (fields: object): ReadCall => ({
  name: "listAccounts",
  args: [
    { ...ALL, ...fields },
    { volumes: false, effectiveVolumes: false },
  ],
  amounts: "integer",
});

const CALLS: readonly ReadCall[] = [
  page({}),
  { ...page({}), amounts: "text" },
  { ...page({}), name: "listTransactions" },
  page({ pageSize: 2 }),
  page({ where: '{"$match":{"address":"a"}}' }),
  page({ where: '{"bigint":"5"}' }),
  page({ start: { value: 5n } }),
  page({ bottom: { value: 5n } }),
  page({ start: { value: "5" } }),
  page({ start: { value: '{"bigint":"5"}' } }),
  page({ start: { value: 2n ** 60n } }),
  page({ start: { value: 2n ** 60n + 1n } }),
  page({ start: { value: -5n, tie: 1n }, bottom: { value: 5n, tie: 0n } }),
  page({ start: { value: 'a"\\\n\u2028' } }),
  {
    name: "findTransaction",
    args: [2 ** 53 - 1, { volumes: true, effectiveVolumes: false }],
    amounts: "text",
  },
  { name: "findAccount", args: ["5", { volumes: true, effectiveVolumes: false }] },
];

test("a read has a text of its own, and is made of it again", () => {
  expect(new Set(CALLS.map(toCallText)).size).toBe(CALLS.length);
  for (const call of CALLS) expect(fromCallText(toCallText(call))).toEqual(call);
});

test("a member that is undefined makes no difference", () => {
  expect(toCallText(page({ pit: undefined }))).toBe(toCallText(page({})));
});
