import { expect, test } from "vitest";
import { checkLives } from "#test/support/ledger-engine/in-node.ts";

test("the engine agrees with the naive model on any sequence of writes, and with its own log", async () => {
  expect(await checkLives({ lives: 430, stepsMax: 30 })).toBeGreaterThan(5000);
}, 60_000);
