import { expect, test } from "vitest";
import { EntryCauses } from "#modules/ledger/objects/entry-causes.ts";

test("entries of one cause that follow each other are one range", () => {
  const causes = new EntryCauses();
  causes.note({ from: 1, to: 2, cause: "a" });
  causes.note({ from: 3, to: 3, cause: "a" });
  causes.note({ from: 4, to: 4, cause: "b" });
  causes.note({ from: 6, to: 6, cause: "b" });
  expect(causes.within(1, 10)).toEqual([
    { from: 1, to: 3, cause: "a" },
    { from: 4, to: 4, cause: "b" },
    { from: 6, to: 6, cause: "b" },
  ]);
  expect(causes.within(5, 5)).toBeUndefined();
});

test("causes are remembered until their entries are confirmed", () => {
  const causes = new EntryCauses();
  causes.note({ from: 1, to: 5, cause: "a" });
  causes.note({ from: 6, to: 6, cause: "b" });
  causes.confirmed(4);
  expect(causes.within(1, 6)).toHaveLength(2);
  causes.confirmed(5);
  expect(causes.within(1, 6)).toEqual([{ from: 6, to: 6, cause: "b" }]);
  causes.clear();
  expect(causes.within(1, 6)).toBeUndefined();
});

test("a hundred causes are remembered, so that a message stays within the platform's limit", () => {
  const causes = new EntryCauses();
  for (let id = 1; id <= 300; id++) causes.note({ from: id, to: id, cause: `cause-${id}` });
  expect(causes.within(1, 300)).toHaveLength(100);
  causes.confirmed(50);
  causes.note({ from: 301, to: 301, cause: "later" });
  expect(causes.within(301, 301)).toHaveLength(1);
});
