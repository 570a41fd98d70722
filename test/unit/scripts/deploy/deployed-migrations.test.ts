import { afterEach, beforeEach, expect, test } from "vitest";
import { MIGRATIONS } from "#platform/upgrade/migrations.ts";
import { deployedMigrations } from "#scripts/deploy/deployed-migrations.ts";
import { runCommand } from "#scripts/florin/main.ts";
import { loadNouns } from "#scripts/florin/nouns.ts";
import { DeployWorld } from "#test/support/deployment/deploy-world.ts";

let world: DeployWorld;
beforeEach(async () => {
  world = await DeployWorld.start();
});
afterEach(() => world.stop());

const read = () => deployedMigrations(["--file", world.file], world.env);

test("the migrations of a deployment are read, and nothing is changed", async () => {
  await expect(read()).rejects.toThrow("The account has no D1 database florin.");
  world.cloudflare.breakage = { at: /query$/, when: "before" };
  await expect(world.deploy()).rejects.toThrow("does not answer");
  world.cloudflare.forget();
  expect(await read()).toEqual({ kind: "behind", missing: MIGRATIONS });
  expect(world.cloudflare.changes).toEqual([]);
  world.cloudflare.breakage = undefined;
  await world.deploy();
  expect(await read()).toEqual({ kind: "current" });
});

const CHECK = ["upgrade", "check", "--remote", "--env"];

test("florin upgrade check --remote asks the deployment of an environment", async () => {
  world.write(`name = "florin-of-a-test"\nurl = "${world.florin.url}"\n`);
  await world.deploy();
  const lines: string[] = [];
  const surroundings = {
    env: world.env,
    write: (line: string) => void lines.push(line),
    note: (line: string) => void lines.push(line),
  };
  const nouns = await loadNouns();
  expect(await runCommand([...CHECK, "of-a-test"], nouns, surroundings)).toBe(0);
  expect(lines).toContain("The database has all migrations.");
  expect(await runCommand([...CHECK, "of-no-test"], nouns, surroundings)).toBe(1);
  expect(lines.at(-1)).toContain("The account has no D1 database florin-of-no-test.");
});
