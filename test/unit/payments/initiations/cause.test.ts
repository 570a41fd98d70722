import { expect, test } from "vitest";
import { Cause, currentCause, runCaused } from "#platform/tracing/cause.ts";
import { InitiationWorld } from "#test/support/payments/worlds/initiation-world.ts";

const ID = "0c6f1c7e-4a51-4b6c-9d39-5f8f2d1c9a11";
const PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

test("a payout that a sweep sends has the trace of the request that has created it", async () => {
  const world = new InitiationWorld();
  await world.storeAccounts();
  const cause = Cause.ofRequest(ID, new Headers({ traceparent: PARENT }));
  await runCaused(cause, () => world.create({ isSent: true }));
  const seen: (string | undefined)[] = [];
  world.provider.before = () => void seen.push(currentCause()?.toText());
  await world.sweep();
  expect(seen).toEqual([`${ID} ${PARENT}`]);
});
