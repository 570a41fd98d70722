import { afterEach, expect, test } from "vitest";
import { DeployWorld } from "#test/support/deployment/deploy-world.ts";

let world: DeployWorld;
afterEach(() => world.stop());

test("a jurisdiction holds for the database, the bucket, the workflow and all objects", async () => {
  world = await DeployWorld.start('jurisdiction = "eu"\n');
  await world.deploy();
  expect(world.cloudflare.state()).toMatchObject({
    databases: [{ name: "florin", jurisdiction: "eu" }],
    buckets: ["florin-statements in eu"],
    workflows: { "florin-instances": { jurisdiction: "eu" } },
  });
  expect(world.cloudflare.scripts.bindingsOf("florin")).toContainEqual({
    name: "FLORIN_JURISDICTION",
    type: "plain_text",
    text: "eu",
  });
  await world.deploy(["--destroy", "--confirm", "florin"]);
  expect(world.cloudflare.state()).toMatchObject({ databases: [], buckets: [] });
});

test("a bucket for the deployment's own backups is made where the file wants one, in its jurisdiction", async () => {
  world = await DeployWorld.start('jurisdiction = "eu"\nstatements = "objects"\nbackups = "r2"\n');
  await world.deploy();
  expect(world.cloudflare.state()).toMatchObject({ buckets: ["florin-backups in eu"] });
});

test.each([
  ["", 'jurisdiction = "eu"\n'],
  ['jurisdiction = "eu"\n', 'jurisdiction = "fedramp"\n'],
  ['jurisdiction = "eu"\n', ""],
])("a deployment with %j does not become one with %j", async (before, after) => {
  world = await DeployWorld.start(before);
  await world.deploy();
  world.cloudflare.forget();
  world.write(`${world.read().replace(before, "")}${after}`);
  await expect(world.deploy()).rejects.toThrow("never changes its jurisdiction");
  expect(world.cloudflare.changes).toEqual([]);
});

test("the setting is refused among the variables, and an unknown jurisdiction anywhere", async () => {
  world = await DeployWorld.start('[vars]\nFLORIN_JURISDICTION = "eu"\n');
  await expect(world.deploy()).rejects.toThrow("It follows from `jurisdiction`");
  world.write('name = "florin"\njurisdiction = "mars"\n');
  await expect(world.deploy()).rejects.toThrow(
    'jurisdiction: Invalid option: expected one of "eu"',
  );
});
