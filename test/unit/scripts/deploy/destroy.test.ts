import { existsSync, rmSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DeployWorld } from "#test/support/deployment/deploy-world.ts";

const NOTHING = { databases: [], queues: {}, buckets: [], workflows: {}, scripts: [] };
let world: DeployWorld;

beforeEach(async () => {
  world = await DeployWorld.start();
  await world.deploy();
  world.cloudflare.forget();
});
afterEach(() => world.stop());

test("--destroy deletes all of the deployment, and the database's id in its file", async () => {
  world.typed = "florin";
  await world.deploy(["--destroy"]);
  expect(world.cloudflare.state()).toEqual(NOTHING);
  expect(world.cloudflare.changes[0]?.path).toBe("workers/scripts/florin");
  expect(world.read()).not.toContain("database_id");
  expect(world.output).toContain("florin is deleted.");
  await world.deploy(["--destroy"]);
  expect(world.output).toContain("Nothing was changed.");
});

test.each([["flor"], [""], ["yes"], [undefined]])(
  "%s in place of the name deletes nothing",
  async (typed) => {
    world.typed = typed;
    await expect(world.deploy(["--destroy", "--yes"])).rejects.toThrow("was not typed");
    expect(world.cloudflare.changes).toEqual([]);
  },
);

test("--confirm stands for typing the name", async () => {
  await world.deploy(["--destroy", "--confirm", "florin"]);
  expect(world.cloudflare.state()).toEqual(NOTHING);
  await expect(world.deploy(["--confirm", "florin"])).rejects.toThrow("for --destroy only");
});

test("a run that broke off goes on, wherever it broke", async () => {
  for (let at = 0; at < 7; at++) {
    const when = at % 2 === 0 ? "after" : "before";
    world.cloudflare.breakage = { at, when };
    const run = world.deploy(["--destroy", "--confirm", "florin"]);
    await expect(run, `request ${at}`).rejects.toThrow("does not answer DELETE");
    world.cloudflare.breakage = undefined;
    await world.deploy(["--destroy", "--confirm", "florin"]);
    expect([at, when, world.cloudflare.state()]).toEqual([at, when, NOTHING]);
    await world.deploy();
    world.cloudflare.forget();
  }
});

test("a checkout without the environment file deletes what has the standard name", async () => {
  rmSync(world.file);
  await world.deploy(["--destroy", "--confirm", "florin"]);
  expect(world.cloudflare.state()).toEqual(NOTHING);
  expect(existsSync(world.file)).toBe(false);
});

test("a bucket with files stays, and a sentence says so", async () => {
  world.cloudflare.hasObjects = true;
  const run = world.deploy(["--destroy", "--confirm", "florin"]);
  await expect(run).rejects.toThrow("The R2 bucket florin-statements has files");
  expect(world.cloudflare.state()).toEqual({ ...NOTHING, buckets: ["florin-statements"] });
});
