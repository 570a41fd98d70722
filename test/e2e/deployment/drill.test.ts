import { expect, test } from "vitest";
import { stuckInstance, wrongKey } from "#test/support/drill/incidents.ts";
import { DrillWorld } from "#test/support/drill/world.ts";
import { sharedServer } from "#test/support/runner/shared-server.ts";

// The whole drill, with ten incidents, is test/long/drill.test.ts. These two need no time to pass.

test("a provider that refuses the key and a stuck instance are shown, and the runbook's remedies make both well", async () => {
  const world = await DrillWorld.on(sharedServer());
  await world.send("/api/ledger/v2/drill", { method: "POST" });
  const incidents = await Promise.all([wrongKey(world), stuckInstance(world, "drill")]);
  const shown = await Promise.all(incidents.map((incident) => incident.shown()));
  expect(shown.map(({ severity }) => severity)).toEqual(["warning", "warning"]);
  expect(await Promise.all(incidents.map((incident) => incident.remedy()))).toEqual([true, true]);
});
