import { expect, test } from "vitest";
import { likeMatcher } from "#platform/filter/like.ts";
import { stringifyJson } from "#platform/json.ts";
import { create, posting, TestLedger } from "#test/support/ledger-engine/fixtures.ts";

const REFERENCES = [
  "a",
  "A",
  "a[b]*?c",
  "a[b]xyc",
  "ab*yc",
  "xyz",
  "é€😀z",
  "😀",
  "100%_\\z",
  `${"l".repeat(80)}z`,
];

test.each([
  "%z",
  "%[b]*?c",
  "%[b]__c",
  "%yz",
  "x%z",
  "_",
  "%😀%",
  "___z",
  "%\\%\\_\\\\_",
  `%${"l".repeat(60)}%z`,
  "%",
  "%%a%",
])("references like %j are those that the pattern matches", (pattern) => {
  const ledger = new TestLedger();
  for (const reference of REFERENCES)
    ledger.commit(create(posting("world -> a", 1), { reference }));
  const { data } = ledger.engine.reads.listTransactions(
    {
      kind: "column",
      column: "id",
      order: "asc",
      pageSize: 100,
      reverse: false,
      where: stringifyJson({ $like: { reference: pattern } }),
    },
    { volumes: false, effectiveVolumes: false },
  );
  const matches = likeMatcher(pattern);
  expect(data.map(({ reference }) => reference)).toEqual(REFERENCES.filter(matches));
});
