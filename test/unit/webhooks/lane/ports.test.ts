import { expect, test } from "vitest";
import { rereadLedgerEvents } from "#modules/ledger/event-source.ts";
import { openPorts } from "#modules/webhooks/lane/ports.ts";
import type { StartDeadline } from "#platform/work/deadline.ts";
import { TEST_SETTINGS } from "#test/support/platform/settings.ts";

test("bodies are not waited for beyond the deadline that the lane shares", async () => {
  const hang = () => new Promise<never>(() => undefined);
  const LEDGERS = { getByName: () => ({ readWritten: hang }) };
  const env = { ...TEST_SETTINGS, LEDGERS } as unknown as Env; // the ports use only these members
  const deadlinesMs: number[] = [];
  let pass: (() => void) | undefined;
  const startDeadline: StartDeadline = (afterMs, onPass) => {
    deadlinesMs.push(afterMs);
    pass = onPass;
    return { end: () => undefined, signal: new AbortController().signal };
  };
  const ports = openPorts(env, {
    setAlarm: () => undefined,
    startDeadline,
    reread: rereadLedgerEvents,
  });
  const reading = ports.readBodies({ source: "ledger", ledger: "a", uuid: "a" }, [1]);
  expect(deadlinesMs).toEqual([5000]);
  pass?.();
  await expect(reading).rejects.toMatchObject({ kind: "OVERLOADED" });
});
