import { afterEach, describe, expect, test } from "vitest";
import { MIGRATIONS } from "#platform/upgrade/migrations.ts";
import { inProject } from "#scripts/lib/project.ts";
import { DeployWorld } from "#test/support/deployment/deploy-world.ts";
import type { FakeCloudflare, RecordedCall } from "#test/support/deployment/fake-cloudflare.ts";
import { DISARMED } from "#test/support/deployment/fake-florin.ts";

const worlds: DeployWorld[] = [];
async function world(content?: string): Promise<DeployWorld> {
  const made = await DeployWorld.start(content);
  worlds.push(made);
  return made;
}
afterEach(async () => {
  await Promise.all(worlds.splice(0).map((one) => one.stop()));
});

const linesOf = (cloudflare: FakeCloudflare): string[] =>
  cloudflare.changes.map(({ method, path }) => `${method} ${path.replace(/[\da-f-]{36}/, "<id>")}`);

describe("from nothing", () => {
  test("all resources are made in the order of what needs what", async () => {
    const { cloudflare, ...one } = await deployed();
    expect(linesOf(cloudflare)).toEqual([
      "POST d1/database",
      "POST queues",
      "POST queues",
      "POST queues",
      "POST queues",
      "POST r2/buckets",
      "POST d1/database/<id>/query",
      ...MIGRATIONS.map(() => "POST d1/database/<id>/query"),
      "PUT workers/scripts/florin",
      "POST workers/scripts/florin/subdomain",
      "POST queues/<id>/consumers",
      "POST queues/<id>/consumers",
      "POST queues/<id>/consumers",
      "POST queues/<id>/consumers",
      "PUT workflows/florin-instances",
      "PATCH workers/scripts/florin/script-settings",
    ]);
    expect(cloudflare.state()).toMatchObject({
      databases: [{ name: "florin", migrations: MIGRATIONS.map((name) => ({ name })) }],
      queues: {
        "florin-events": [{ script_name: "florin", dead_letter_queue: "florin-events-dead" }],
        "florin-triggers": [{ script_name: "florin", dead_letter_queue: "florin-triggers-dead" }],
        "florin-triggers-dead": [{ script_name: "florin" }],
        "florin-events-dead": [{ script_name: "florin" }],
      },
      buckets: ["florin-statements"],
      workflows: { "florin-instances": { script_name: "florin" } },
      scripts: [
        {
          name: "florin",
          secrets: ["FLORIN_CLIENT_ID", "FLORIN_CLIENT_SECRET", "FLORIN_SECRET_KEY"],
          isComplete: true,
        },
      ],
    });
    expect(one.output).toContain("1. create the D1 database florin … done");
  });

  test("the run ends with the URL, the first client, and an invitation", async () => {
    const { cloudflare, florin, output } = await deployed();
    const { FLORIN_CLIENT_SECRET: secret, FLORIN_SECRET_KEY: key } =
      cloudflare.scripts.secretsOf("florin");
    expect(secret).toMatch(/^[\da-f]{48}$/);
    expect(Buffer.from(key ?? "", "base64")).toHaveLength(32);
    expect(output).toContain(`URL            ${florin.url}\n`);
    expect(output).toContain("https://florin.example.com/invited");
    expect(output).toContain("FLORIN_CLIENT_ID=florin-operator\n");
    expect(output).toContain(`FLORIN_CLIENT_SECRET=${secret}\n`);
    expect(output).toContain(`FLORIN_SECRET_KEY=${key}\n`);
  });

  test("the deployment is tested as a client uses it", async () => {
    const { florin } = await deployed();
    expect(florin.calls.map((line) => line.replace(/smoke-test-\d+/, "<name>"))).toEqual([
      "GET /versions",
      "POST /api/auth/oauth/token",
      "POST /api/webhooks/configs",
      "POST /api/ledger/v2/<name>",
      "POST /api/ledger/v2/<name>/transactions",
      "GET /api/webhooks/deliveries",
      "DELETE /api/ledger/v2/_/buckets/<name>",
      "DELETE /api/webhooks/configs/config",
      "POST /api/auth/oauth/token",
      "GET /api/florin/v1/users",
      "GET /api/auth/.well-known/openid-configuration",
      "POST /api/florin/v1/invitations",
    ]);
  });

  test("the webhook of a disarmed deployment is not waited for, and the output says why", async () => {
    const one = await world();
    one.florin.isDisarmed = true;
    await one.deploy();
    expect(one.output).toContain(`No webhook was tested. The server refuses: ${DISARMED}`);
    expect(one.florin.calls).toContain("DELETE /api/webhooks/configs/config");
  });

  test("the environment file gets the database's id, and keeps all else", async () => {
    const one = await deployed();
    const [id] = one.cloudflare.databases.ids;
    expect(one.read()).toBe(
      `name = "florin" # stays\ndatabase_id = "${id}"\nurl = "${one.florin.url}"\n`,
    );
  });
});

async function deployed(): Promise<DeployWorld> {
  const one = await world();
  await one.deploy();
  return one;
}

describe("a second run", () => {
  test("sends no change, and shows no secret", async () => {
    const one = await deployed();
    const { FLORIN_CLIENT_SECRET: secret = "" } = one.cloudflare.scripts.secretsOf("florin");
    one.cloudflare.forget();
    await one.deploy([]); // Nothing is asked either.
    expect(linesOf(one.cloudflare)).toEqual([]);
    expect(one.output).toContain("Nothing was changed there.");
    expect(one.output).not.toContain(secret);
    expect(one.hasPendingSecrets).toBe(false);
  });

  test("finds the database by its name, and changes only the file", async () => {
    const one = await deployed();
    const file = one.read();
    one.write(file.replace(/^database_id.*\n/m, ""));
    one.cloudflare.forget();
    await one.deploy();
    expect(linesOf(one.cloudflare)).toEqual([]);
    expect(one.read()).toBe(file);
  });

  test("sends what has changed in the environment file, and no secret again", async () => {
    const one = await deployed();
    const secrets = one.cloudflare.scripts.secretsOf("florin");
    one.cloudflare.forget();
    one.write(`${one.read()}\n[vars]\nFLORIN_MAX_PAGE_SIZE = "500"\n`);
    await one.deploy();
    expect(linesOf(one.cloudflare)[0]).toBe("PUT workers/scripts/florin");
    const vars = one.cloudflare.scripts.bindingsOf("florin");
    expect(vars).toContainEqual({
      type: "plain_text",
      name: "FLORIN_PUBLIC_URL",
      text: one.florin.url,
    });
    expect(vars).toContainEqual({
      type: "plain_text",
      name: "FLORIN_MAX_PAGE_SIZE",
      text: "500",
    });
    expect(one.cloudflare.scripts.secretsOf("florin")).toEqual(secrets);
    expect(one.output).toContain("Only the health of the modules was tested.");
  });

  test.each([
    ["the script", { script: inProject("dist/worker/later/index.js") }],
    ["a file beside the script", { assets: "fedcba9876543210" }],
  ])("deploys again when the build has changed %s", async (_part, change) => {
    const one = await deployed();
    one.cloudflare.forget();
    one.built = { ...one.built, ...change };
    await one.deploy();
    expect(linesOf(one.cloudflare)[0]).toBe("PUT workers/scripts/florin");
  });

  test("deploys again when another program has deployed in between", async () => {
    const one = await deployed();
    const state = one.cloudflare.state();
    await fetch(`${one.cloudflare.base}/accounts/acc/workers/scripts/florin`, {
      method: "PUT",
      body: metadataForm({ bindings: [] }),
    });
    await one.deploy();
    expect(one.cloudflare.state()).toEqual(state);
  });
});

function metadataForm(metadata: object): FormData {
  const form = new FormData();
  form.set("metadata", JSON.stringify(metadata));
  return form;
}

const isMigration = (call: RecordedCall | undefined): boolean =>
  call?.path.endsWith("/query") === true;

describe("a run that broke off", () => {
  test("goes on to the same state, wherever it broke", async () => {
    const whole = await deployed();
    const { changes } = whole.cloudflare;
    for (const at of changes.keys()) {
      // The same code applies all migrations; the first ones stand for all.
      if (isMigration(changes[at]) && isMigration(changes[at - 3])) continue;
      for (const when of ["before", "after"] as const) {
        const one = await world();
        one.cloudflare.breakage = { at, when };
        await expect(one.deploy(), `request ${at}`).rejects.toThrow(/does not answer|fetch failed/);
        one.cloudflare.breakage = undefined;
        await one.deploy();
        expect([at, when, one.cloudflare.state()]).toEqual([at, when, whole.cloudflare.state()]);
        const secrets = Object.entries(one.cloudflare.scripts.secretsOf("florin"));
        for (const [name, value] of secrets) expect(one.output).toContain(`${name}=${value}\n`);
        expect(one.hasPendingSecrets).toBe(false);
        one.cloudflare.forget();
        await one.deploy();
        expect([at, when, linesOf(one.cloudflare)]).toEqual([at, when, []]);
        await one.stop();
        worlds.pop();
      }
    }
  });

  test("sends and shows the secrets that it made first", async () => {
    const one = await world();
    one.cloudflare.breakage = { at: 7, when: "before" };
    await expect(one.deploy()).rejects.toThrow("does not answer POST d1/database");
    expect(one.hasPendingSecrets).toBe(true);
    one.cloudflare.breakage = undefined;
    await one.deploy();
    expect(one.hasPendingSecrets).toBe(false);
  });
});

describe("what is refused", () => {
  test("nothing is changed without a yes", async () => {
    const one = await world();
    await expect(one.deploy([])).rejects.toThrow("Pass --yes");
    one.typed = "n";
    await expect(one.deploy([])).rejects.toThrow("Nothing was changed.");
    expect(linesOf(one.cloudflare)).toEqual([]);
    one.typed = "y";
    await one.deploy([]);
    expect(one.output).toContain("florin runs.");
  });

  test("a database of the environment file that is gone is not replaced by an empty one", async () => {
    const one = await world('database_id = "00000000-0000-4000-8000-000000000000"\n');
    await expect(one.deploy()).rejects.toThrow("has no D1 database 00000000");
    expect(linesOf(one.cloudflare)).toEqual([]);
  });

  test("a lost key of a database with data is not replaced by a new one", async () => {
    const one = await deployed();
    const secrets = one.cloudflare.scripts.secretsOf("florin");
    const script = `${one.cloudflare.base}/accounts/acc/workers/scripts/florin`;
    await fetch(script, { method: "DELETE" });
    await expect(one.deploy()).rejects.toThrow("a new key would not decrypt that data");
    await one.deploy(["--yes"], secrets);
    expect(one.cloudflare.scripts.secretsOf("florin")).toEqual(secrets);
  });

  test("the log of a continuous integration shows no new secret", async () => {
    const one = await world();
    const ci = { CI: "true" };
    await expect(one.deploy(["--yes"], ci)).rejects.toThrow("no place to show new secrets");
    expect(linesOf(one.cloudflare)).toEqual([]);
    const given = {
      FLORIN_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
      FLORIN_CLIENT_ID: "operator",
      FLORIN_CLIENT_SECRET: "0123456789abcdef",
    };
    await one.deploy(["--yes"], { ...ci, ...given });
    expect(one.cloudflare.scripts.secretsOf("florin")).toEqual(given);
    expect(one.output).not.toContain(given.FLORIN_CLIENT_SECRET);
    expect(one.output).not.toContain("/invited");
  });

  test.each([
    ["names of settings", '[vars]\nFLORIN_MAX_PAGES = "5"\n', "FLORIN_MAX_PAGES is no setting"],
    ["values of settings", '[vars]\nFLORIN_MAX_PAGE_SIZE = "x"\n', "FLORIN_MAX_PAGE_SIZE is"],
    ["secrets", '[vars]\nFLORIN_SECRET_KEY = "x"\n', "wrangler secret put FLORIN_SECRET_KEY"],
    ["keys", "unknown = 1\n", 'Unrecognized key: "unknown"'],
    ["texts", "= 1\n", "is no TOML"],
  ])("an environment file with wrong %s", async (_, content, sentence) => {
    const one = await world(content);
    await expect(one.deploy()).rejects.toThrow(sentence);
    expect(linesOf(one.cloudflare)).toEqual([]);
  });

  test("arguments that the command does not know", async () => {
    const one = await world();
    await expect(one.deploy(["--force"])).rejects.toThrow("--force");
    await expect(one.deploy(["--env", "Über"])).rejects.toThrow('--env is "Über"');
  });
});
