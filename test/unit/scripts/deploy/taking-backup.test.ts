import { expect, test } from "vitest";
import { DeployWorld } from "#test/support/deployment/deploy-world.ts";

const keyOf = (byte: number): string => Buffer.alloc(32, byte).toString("base64");

test("a new deployment takes a backup with the key of the environment, and says how it comes", async () => {
  const world = await DeployWorld.start('\n[vars]\nFLORIN_RESTORE = "true"\n');
  try {
    await world.deploy(["--yes"], { FLORIN_SECRET_KEY: keyOf(7) });
    const { cloudflare, florin } = world;
    expect(cloudflare.scripts.secretsOf("florin")["FLORIN_SECRET_KEY"]).toBe(keyOf(7));
    expect(florin.calls).toEqual(["GET /versions"]);
    expect(world.output).toContain("wrangler secret put FLORIN_SECRET_KEY --name florin\n");
    expect(world.output).toContain(
      `FLORIN_URL=${florin.url} FLORIN_CLIENT_ID=… FLORIN_CLIENT_SECRET=… npm run florin -- backup restore`,
    );

    // A Worker keeps its key, whatever the environment of a later run has.
    world.write(world.read().replace(/\n\[vars\][^]*$/, ""));
    await world.deploy(["--yes"], { FLORIN_SECRET_KEY: keyOf(8) });
    expect(cloudflare.scripts.secretsOf("florin")["FLORIN_SECRET_KEY"]).toBe(keyOf(7));
    expect(world.output).not.toContain("takes a backup");
  } finally {
    await world.stop();
  }
});
