import { describe, expect, test } from "vitest";
import {
  type LinkedObject,
  objectsOf,
  pathOf,
  spansOf,
} from "#console/places/workflows/instances/spans.ts";
import type { Moment } from "#console/places/workflows/queries.ts";

const START_MS = Date.parse("2026-11-27T08:00:00Z");

/** A moment so many milliseconds after the start; by default, of the first stage. */
const moment = (
  afterMs: number,
  kind: string,
  { stage = 0, ...data }: Readonly<Record<string, unknown>> & { readonly stage?: number } = {},
): Moment => ({ at: new Date(START_MS + afterMs).toISOString(), kind, stage, data });

describe("the spans of a timeline", () => {
  test("an activity that is tried again stays one span, which counts its failures", () => {
    const spans = spansOf([
      moment(0, "stage-started", { type: "send" }),
      moment(1, "activity-started", { name: "CreateTransaction" }),
      moment(5, "activity-attempt-failed", { error: "no funds" }),
      moment(9, "activity-attempt-failed", { error: "no funds" }),
      moment(20, "activity-succeeded", { name: "CreateTransaction" }),
      moment(21, "stage-succeeded"),
      moment(21, "stage-started", { type: "wait_event", stage: 1 }),
    ]);
    expect(spans).toMatchObject([
      { stage: 0, fromMs: START_MS, toMs: START_MS + 21, tone: "good", isWait: false },
      {
        stage: 0,
        activity: "CreateTransaction",
        fromMs: START_MS + 1,
        toMs: START_MS + 20,
        tone: "good",
        failures: 2,
      },
      { stage: 1, fromMs: START_MS + 21, tone: "waits", isWait: true },
    ]);
    expect(spans[2]?.toMs).toBeUndefined();
  });

  test("a stage that is retried goes on, with its activities before and after", () => {
    const spans = spansOf([
      moment(0, "stage-started", { type: "send" }),
      moment(1, "activity-started", { name: "GetWallet" }),
      moment(2, "activity-failed", { name: "GetWallet", error: "not found" }),
      moment(2, "stage-failed", { error: "not found" }),
      moment(100, "instance-retried"),
      moment(101, "activity-started", { name: "GetWallet" }),
    ]);
    expect(spans).toMatchObject([
      { tone: "neutral" },
      { tone: "bad", toMs: START_MS + 2 },
      { tone: "neutral" },
    ]);
    expect(spans[0]).not.toHaveProperty("toMs");
  });

  test("a timeline whose beginning is missing has the stages that are there", () => {
    expect(spansOf([moment(3, "activity-succeeded"), moment(4, "stage-succeeded")])).toEqual([]);
  });
});

test("objects are linked once each, by the pages of their places", () => {
  const links: LinkedObject[] = objectsOf([
    moment(0, "activity-succeeded", { ledger: "main", transaction: 7n }),
    moment(1, "activity-succeeded", { wallet: "w-1", ledger: "wallets", transaction: 3 }),
    moment(2, "activity-succeeded", { wallet: "w-1" }),
    moment(3, "activity-succeeded", { paymentInitiation: "a/b" }),
  ]);
  expect(links.map(pathOf)).toEqual([
    "/ledgers/main/transactions/7",
    "/ledgers/wallets/transactions/3",
    "/wallets/w-1",
    "/payments/initiations/a%2Fb",
  ]);
});
