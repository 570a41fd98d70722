import { expect, test } from "vitest";
import { chartOf } from "#console/places/ledgers/schema/chart.ts";

test("a chart is a tree of segments with what is said of each", () => {
  const chart = {
    bank: { ".self": {}, fees: {} },
    users: {
      $id: { ".pattern": "^[0-9]+$", main: { ".metadata": { tier: { default: "basic" } } } },
    },
  };
  const leaf = { pattern: undefined, isAccount: true, metadata: [], children: [] };
  expect(chartOf(chart)).toEqual([
    { ...leaf, segment: "bank", children: [{ ...leaf, segment: "fees" }] },
    {
      ...leaf,
      segment: "users",
      isAccount: false,
      children: [
        {
          ...leaf,
          segment: "$id",
          pattern: "^[0-9]+$",
          isAccount: false,
          children: [{ ...leaf, segment: "main", metadata: [["tier", "basic"]] }],
        },
      ],
    },
  ]);
});
