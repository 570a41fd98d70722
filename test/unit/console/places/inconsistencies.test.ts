import { describe, expect, test } from "vitest";
import { inconsistencyAlerts } from "#console/places/home/inconsistencies.ts";

const SINCE = "2026-11-27T08:00:00Z";

describe("the alerts of ledgers that do not verify", () => {
  test("each ledger has an alert that leads to its verification", () => {
    const ledgers = ["books", "eu-1"].map((ledger) => ({ ledger, inconsistentSince: SINCE }));
    expect(inconsistencyAlerts(ledgers, "A ledger differs from its log")).toEqual([
      {
        id: "verification books",
        tone: "bad",
        title: "A ledger differs from its log",
        note: "books",
        since: SINCE,
        path: "/ledgers/books/verification",
      },
      expect.objectContaining({ note: "eu-1", path: "/ledgers/eu-1/verification" }),
    ]);
  });

  test("without such ledgers there is no alert", () => {
    expect(inconsistencyAlerts([], "A ledger differs from its log")).toEqual([]);
  });
});
