import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  acceptAlert,
  ackAlert,
  type AlertState,
  type AlertTransition,
  failAlert,
  openAlert,
  passAlert,
  resolveAlert,
  snoozeAlert,
  unsnoozeAlert,
} from "#modules/reconciliation/core/alert-states.ts";
import { AppError } from "#platform/errors.ts";
import { fromMillis } from "#platform/time.ts";

const ACTIONS = ["fail", "pass", "ack", "resolve", "accept", "snooze", "unsnooze"] as const;

/** An action at a time after the one before it, with the balance that a failure finds. */
const step = fc.record({
  action: fc.constantFrom(...ACTIONS),
  afterMs: fc.integer({ min: 1, max: 1000 }),
  balance: fc.constantFrom("-1", "-2"),
  snoozeMs: fc.integer({ min: 1, max: 3000 }),
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function transit(
  alert: AlertState,
  { action, balance, snoozeMs }: Step,
  nowMs: number,
): AlertTransition | undefined {
  const at = fromMillis(nowMs);
  const mark = { by: "ada", at };
  switch (action) {
    case "fail":
      return failAlert(alert, { evidence: { balance }, evaluationId: `e${nowMs}`, at });
    case "pass":
      // An evaluation resolves active alerts only.
      if (alert.status === "RESOLVED") return undefined;
      return passAlert(alert, { evaluationId: `e${nowMs}`, at });
    case "ack":
      return ackAlert(alert, mark);
    case "resolve":
      return resolveAlert(alert, mark);
    case "accept":
      return acceptAlert(alert, mark);
    case "snooze":
      return snoozeAlert(alert, { ...mark, until: fromMillis(nowMs + snoozeMs) });
    case "unsnooze":
      return unsnoozeAlert(alert, mark);
  }
}

test("whatever happens to an alert, its states, count, marks and events agree", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let nowMs = 1_000_000;
      const fresh = {
        id: "a",
        fingerprint: "f",
        periodId: "p",
        severity: "low",
        labels: {},
      } as const;
      const failure = { evidence: { balance: "-1" }, evaluationId: "e0", at: fromMillis(nowMs) };
      let { alert }: AlertTransition = openAlert(fresh, failure);
      let failures = 1;
      for (const one of steps) {
        nowMs += one.afterMs;
        const before = alert;
        let transition: AlertTransition | undefined;
        try {
          transition = transit(alert, one, nowMs);
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
          expect(before.status).toBe("RESOLVED");
          expect(["ack", "resolve", "accept", "snooze"]).toContain(one.action);
          continue;
        }
        if (transition === undefined) continue;
        const { event } = transition;
        ({ alert } = transition);
        if (one.action === "fail") failures++;
        expect(event).toMatchObject({
          type: one.action,
          prevStatus: before.status,
          newStatus: alert.status,
          at: fromMillis(nowMs),
          isReopen: one.action === "fail" && before.status === "RESOLVED",
        });
        expect(alert.occurrenceCount).toBe(failures);
        expect(alert.updatedAt).toBe(fromMillis(nowMs));
        expect(alert.status === "RESOLVED").toBe(alert.resolution !== undefined);
        if (alert.status === "RESOLVED") expect(alert.snooze).toBeUndefined();
        if (alert.status === "ACKNOWLEDGED") expect(alert.ack).toBeDefined();
        if (one.action !== "fail") expect(event.published).toBeDefined();
        else {
          const isSilent = before.snooze !== undefined && before.snooze.until > fromMillis(nowMs);
          const hasNews =
            before.status !== "OPEN" ||
            before.evidence["balance"] !== one.balance ||
            before.snooze !== undefined;
          expect(event.published !== undefined).toBe(!isSilent && hasNews);
          expect(alert.snooze !== undefined).toBe(isSilent);
        }
      }
    }),
  );
});
