import { expect, test } from "vitest";
import { failAlert, openAlert, snoozeAlert } from "#modules/reconciliation/core/alert-states.ts";
import { parseTimestamp, type Timestamp } from "#platform/time.ts";

const time = (text: string): Timestamp => {
  const timestamp = parseTimestamp(text);
  if (timestamp === undefined) throw new Error(`${text} is no timestamp`);
  return timestamp;
};

const failureAt = (at: string, balance = "-1") => ({
  evidence: { balance },
  evaluationId: "e",
  at: time(at),
});

test("an alert that was last changed while the clock was ahead can be snoozed, and its times do not go back", () => {
  const fresh = { id: "a", fingerprint: "f", periodId: "p", severity: "low", labels: {} } as const;
  const { alert } = openAlert(fresh, failureAt("2030-01-01T00:00:00Z"));
  const snooze = { by: "ada", at: alert.updatedAt, until: time("2026-12-02T00:00:00Z") };
  const snoozed = snoozeAlert(alert, snooze);
  const silent = failAlert(snoozed.alert, failureAt("2026-12-01T00:00:00Z", "-2"));
  expect(silent.event.published).toBeUndefined();
  expect(silent.alert).toMatchObject({ snooze, updatedAt: alert.updatedAt, occurrenceCount: 2 });
  const loud = failAlert(silent.alert, failureAt("2026-12-02T00:00:00Z", "-2"));
  expect(loud.event.published).toBe("UPDATED_ALERT");
  expect(loud.alert.snooze).toBeUndefined();
});
