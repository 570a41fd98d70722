import { describe, expect, test } from "vitest";
import { adviceOn, healthOf } from "#console/places/developers/webhooks/health.ts";
import type { Delivery } from "#console/places/developers/webhooks/queries.ts";

const at = (second: number): string => new Date(Date.UTC(2026, 10, 27, 8, 0, second)).toISOString();

function delivery(given: Partial<Delivery> & { readonly second: number }): Delivery {
  const { second, ...others } = given;
  return {
    id: String(second),
    eventID: String(second),
    configID: "config",
    eventType: "ledger.committed_transactions",
    status: "succeeded",
    attemptCount: 1,
    replayGeneration: 0,
    createdAt: at(second),
    updatedAt: at(second),
    lastAttemptAt: at(second),
    ...others,
  };
}

describe("the health of an endpoint", () => {
  test("the rate counts deliveries with an end, and the delay is the middle one", () => {
    const health = healthOf(
      [
        delivery({ second: 1, updatedAt: at(2) }),
        delivery({ second: 2, updatedAt: at(6) }),
        delivery({ second: 3, updatedAt: at(12) }),
        delivery({ second: 0, status: "failed" }),
        delivery({ second: 4, status: "cancelled" }),
      ],
      Date.parse(at(5)),
    );
    expect(health).toMatchObject({ succeeded: 3, failed: 1, rate: 0.75, delayMs: 4000 });
  });

  test("an endpoint fails since the oldest delivery that failed after the last success", () => {
    const { failing } = healthOf(
      [
        delivery({ second: 9, status: "pending", lastStatusCode: 503, lastError: "busy" }),
        delivery({ second: 8, status: "failed", lastStatusCode: 500 }),
        delivery({ second: 5 }),
        delivery({ second: 4, status: "failed" }),
      ],
      Date.parse(at(10)),
    );
    expect(failing).toEqual({ since: at(8), mayBeLonger: false, statusCode: 503, error: "busy" });
  });

  test("an old delivery that is replayed with success ends the failing", () => {
    const deliveries = [
      delivery({ second: 8, status: "failed" }),
      delivery({ second: 1, lastAttemptAt: at(9) }),
    ];
    expect(healthOf(deliveries, Date.parse(at(10))).failing).toBeUndefined();
  });

  test("deliveries that wait long for their first attempt are told", () => {
    const { lastAttemptAt: _, ...waiting } = delivery({ second: 1, status: "pending" });
    expect(healthOf([waiting], Date.parse(at(30))).waitingSince).toBeUndefined();
    expect(healthOf([waiting], Date.parse(at(62))).waitingSince).toBe(at(1));
  });

  test("an endpoint without deliveries is neither good nor bad", () => {
    expect(healthOf([], 0)).toMatchObject({ rate: undefined, delayMs: undefined });
  });

  test.each([
    [0, "unreachable"],
    [301, "moved"],
    [403, "refused"],
    [410, "missing"],
    [405, "method"],
    [422, "message"],
    [502, "server"],
  ])("the advice on %i is about: %s", (status, advice) => {
    expect(adviceOn(status)).toBe(advice);
  });
});
