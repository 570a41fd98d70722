import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inProject } from "#scripts/lib/project.ts";
import { DeployWorld } from "#test/support/deployment/deploy-world.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

/** Cloudflare's API is a fake, wrangler is the real one, and a server on this machine stands for what is deployed. */
let world: DeployWorld;
let server: LocalServer;

beforeAll(async () => {
  [world, server] = await Promise.all([DeployWorld.start(), LocalServer.start(freshFolder())]);
  world.write(`name = "florin-e2e"\nurl = "${server.url}"\n`);
});
afterAll(async () => {
  await Promise.all([world.stop(), server.stop()]);
});

async function npmRunDeploy(...args: readonly string[]): Promise<string> {
  const env = {
    ...process.env,
    ...world.env,
    CI: "",
    FLORIN_CLIENT_ID: server.clientId,
    FLORIN_CLIENT_SECRET: server.clientSecret,
  };
  const command = [inProject("scripts/deploy.ts"), "--file", world.file, ...args];
  const { stdout } = await promisify(execFile)(process.execPath, command, { env });
  return stdout;
}

test("wrangler deploys, goes on after an interruption, and is not called without a change", async () => {
  world.cloudflare.breakage = { at: /consumers$/, when: "before" };
  await expect(npmRunDeploy("--yes")).rejects.toThrow("wrangler deploy failed");
  expect(world.cloudflare.state()).toMatchObject({ scripts: [{ isComplete: false }] });
  world.cloudflare.breakage = undefined;
  const output = await npmRunDeploy("--yes");
  expect(output).toContain(`Testing ${server.url} … done\n`);
  expect(output).toContain("FLORIN_SECRET_KEY=");
  expect(world.cloudflare.state()).toMatchObject({
    queues: {
      "florin-e2e-events": [{ script_name: "florin-e2e" }],
      "florin-e2e-triggers": [{ script_name: "florin-e2e" }],
    },
    workflows: { "florin-e2e-instances": { class_name: "InstanceWorkflow" } },
    scripts: [{ name: "florin-e2e", isComplete: true, subdomain: { enabled: true } }],
  });
  const bindings = world.cloudflare.scripts.bindingsOf("florin-e2e");
  expect(bindings).toContainEqual({
    name: "FLORIN_PUBLIC_URL",
    type: "plain_text",
    text: server.url,
  });
  expect(bindings).toContainEqual(
    expect.objectContaining({ name: "FLORIN_STATEMENTS", bucket_name: "florin-e2e-statements" }),
  );
  world.cloudflare.forget();
  expect(await npmRunDeploy()).toContain("Nothing was changed there.");
  expect(world.cloudflare.changes).toEqual([]);
});

test("the smoke test leaves nothing behind", async () => {
  expect(await server.json("/api/webhooks/configs")).toMatchObject({ cursor: { data: [] } });
  expect(await server.json("/api/ledger/v2")).toMatchObject({ cursor: { data: [] } });
});
