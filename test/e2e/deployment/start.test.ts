import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isAlive } from "#scripts/lib/processes.ts";
import { ROOT } from "#scripts/lib/project.ts";
import { freePort } from "#scripts/lib/runtime/server.ts";
import { findServer } from "#scripts/lib/state.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { freshFolder, LocalServer, ServerClient } from "#test/support/platform/server.ts";

// The tests use one server and its folder, up to the last one, which ends and starts it: a start takes longer than everything else.
// The name of the folder has signs that mean something to a shell and to curl.
const folder = join(freshFolder(), "it's a=state@folder");
let server: LocalServer;

async function start(): Promise<void> {
  server = await LocalServer.start(folder);
}

/** Starts the server on a new state, while a client asks it all the time. */
async function startAsked(): Promise<void> {
  const port = await freePort(0);
  const ended = new AbortController();
  const asking = (async () => {
    while (!ended.signal.aborted) {
      await fetch(`http://127.0.0.1:${port}/api/ledger/_info`).catch(() => undefined); // nobody listens yet
      await delay(5);
    }
  })();
  server = await LocalServer.start(folder, { PORT: String(port) });
  ended.abort();
  await asking;
}

beforeAll(startAsked);
afterAll(() => server.killAll());

describe("a started server", () => {
  test("a started server is ready, although a client has asked it before its database had tables", async () => {
    expect((await fetch(`${server.url}/api/ledger/_info`)).status).toBe(200);
  });

  test("a started server prints a line that gets a token, and the token opens the API", async () => {
    const [command = ""] = /curl -s .+/.exec(server.welcome) ?? [];
    const { stdout } = await promisify(execFile)("sh", ["-c", command]);
    const { access_token: token } = JSON.parse(stdout) as { access_token: string }; // the form of answers of this endpoint
    const headers = { authorization: `Bearer ${token}` };
    for (const path of ["/api/ledger/v2", "/api/webhooks/configs", "/api/auth/clients"]) {
      const { status } = await fetch(`${server.url}${path}`, { headers });
      expect([path, status]).toEqual([path, 200]);
    }
    const icon = await fetch(`${server.url}/favicon.ico`);
    expect([icon.status, icon.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
  });

  test("a started server prints no secret, which a journal or the log of a container would keep", () => {
    expect(server.clientSecret).toMatch(/^[0-9a-f]{48}$/);
    expect(server.welcome).not.toContain(server.clientSecret);
  });

  test("a started server listens on loopback, and tells other programs of the user where", () => {
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const { url, clientId, clientSecret } = server;
    expect(findServer(folder)).toMatchObject({ url, clientId, clientSecret });
  });

  test("a started server keeps the state folder and its secrets to the user", () => {
    const modeOf = (name: string): number => statSync(join(folder, name)).mode & 0o777;
    expect(modeOf(".")).toBe(0o700);
    for (const name of ["client-secret", "secrets.json", "server.json", "runtime.json"]) {
      expect([name, modeOf(name)]).toEqual([name, 0o600]);
    }
  });

  test("a started server shows the API reference", async () => {
    for (const path of ["/docs", "/openapi.json", "/docs/assets/scalar.js"]) {
      const { status } = await fetch(`${server.url}${path}`);
      expect([path, status]).toEqual([path, 200]);
    }
  });

  test("browsers keep the console's files, whose names change with their content, but not its page", async () => {
    const page = await fetch(`${server.url}/console`);
    const [script = ""] = /\/console\/assets\/[^"]+\.js/.exec(await page.text()) ?? [];
    const { headers } = await fetch(`${server.url}${script}`);
    expect(headers.get("content-type")).toContain("javascript");
    expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(page.headers.get("cache-control")).toBe("no-store");
  });

  test("a started server is not disturbed when another one is refused on its folder", async () => {
    const { code, stderr } = await LocalServer.fail(folder);
    expect(code).toBe(1);
    expect(stderr).toContain(`The state folder ${folder} is in use by another server`);
    expect(stderr).toContain(server.url);
    expect((await server.api("/api/ledger/v2")).status).toBe(200);
  });

  test("a started server serves the search, which reads hits from its own API, and rebuilds it by command", async () => {
    await server.json("/api/ledger/v2/shop", { method: "POST" });
    const postings = [{ source: "world", destination: "users:1", amount: 1, asset: "EUR/2" }];
    await server.json("/api/ledger/v2/shop/transactions", {
      body: { reference: "order-1", postings },
    });
    const isFound = async (): Promise<void> => {
      const body = { target: "TRANSACTION", ledgers: ["shop"], terms: ["users"] };
      const answer = await server.json("/api/search/", { body });
      expect(answer).toMatchObject({ cursor: { data: [{ reference: "order-1" }] } });
    };
    await eventually(isFound);
    const search = async (...args: readonly string[]): Promise<string> => {
      const options = { cwd: ROOT, env: { ...process.env, FLORIN_STATE_DIR: folder } };
      const command = ["scripts/florin.ts", "search", ...args];
      return (await promisify(execFile)(process.execPath, command, options)).stdout;
    };
    expect(await search("rebuild", "--wait")).toBe("The new index serves.\n");
    expect(await search("state")).toContain("Nothing is behind.");
    await isFound();
  });
});

describe("data", () => {
  const AMOUNT = 10n ** 30n;

  async function write(ledger: string): Promise<void> {
    await server.api(`/api/ledger/v2/${ledger}`, { method: "POST" });
    const posting = { source: "world", destination: "bank", asset: "USD/2", amount: AMOUNT };
    await server.json(`/api/ledger/v2/${ledger}/transactions`, { body: { postings: [posting] } });
  }

  async function read(ledger: string): Promise<unknown> {
    const body = await server.json(`/api/ledger/v2/${ledger}/transactions`);
    return (body as { cursor: { data: unknown[] } }).cursor.data;
  }

  test("data of two servers, each with a client of its own, are separate, and npm ends its server with itself", async () => {
    const elsewhere = freshFolder();
    const npm = spawn("npm", ["start"], {
      env: {
        ...process.env,
        PORT: "0",
        FLORIN_STATE_DIR: elsewhere,
        FLORIN_CLIENT_ID: "other",
        FLORIN_CLIENT_SECRET: "a-secret-of-some-length",
      },
      stdio: "ignore",
    });
    const other = await waitFor(() => findServer(elsewhere));
    try {
      expect(other.url).not.toBe(server.url);
      expect(other.clientId).toBe("other");
      await write("ours");
      expect(await read("ours")).toHaveLength(1);
      expect((await new ServerClient(other).api("/api/ledger/v2/ours")).status).toBe(404);
    } finally {
      npm.kill("SIGTERM");
    }
    await waitFor(() => (isAlive(other) ? undefined : true));
    expect(findServer(elsewhere)).toBeUndefined();
  });

  test("data and secrets survive a stop, a kill of server and runtime, and a kill of the server alone, exactly", async () => {
    await write("kept");
    const before = await read("kept");
    expect(before).toMatchObject([{ postings: [{ amount: AMOUNT }] }]);
    const { clientSecret } = server;
    expect(await server.stop()).toBe(0);
    expect(findServer(folder)).toBeUndefined();
    expect(existsSync(join(folder, "client-secret"))).toBe(false);

    await start();
    expect(await read("kept")).toEqual(before);
    expect(server.clientSecret).toBe(clientSecret);
    await server.killAll();

    await start();
    expect(await read("kept")).toEqual(before);
    const orphan = server.runtime;
    await server.killParent();
    expect(isAlive(orphan)).toBe(true);

    // The next start ends the runtime that the killed server left behind.
    await start();
    expect(isAlive(orphan)).toBe(false);
    expect(await read("kept")).toEqual(before);
    expect(await server.interrupt()).toBe(0);
  });
});

/** Calls `ask` until its answer is not undefined. */
async function waitFor<T>(ask: () => T | undefined): Promise<T> {
  for (;;) {
    const answer = ask();
    if (answer !== undefined) return answer;
    await delay(20);
  }
}

describe("a start is refused with a sentence", () => {
  test("a start is refused with a sentence when the port is taken", async () => {
    const blocker = createServer();
    await once(blocker.listen(0, "127.0.0.1"), "listening");
    const { port } = blocker.address() as AddressInfo; // a server that listens on a port
    const { code, stderr } = await LocalServer.fail(freshFolder(), { PORT: String(port) });
    blocker.close();
    expect(code).toBe(1);
    expect(stderr).toContain(`Port ${port} is not free`);
  });

  test("a start is refused with a sentence when the state folder can't be made", async () => {
    const file = join(freshFolder(), "file");
    writeFileSync(file, "");
    const refused = ["/proc/self/florin/state", file].map(async (folder) => {
      const { code, stderr } = await LocalServer.fail(folder);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^The state folder \S+ can't be used: [^\n]+\.\n$/);
      expect(stderr).toContain(folder);
    });
    await Promise.all(refused);
  });

  test("a start is refused with a sentence when the port is invalid", async () => {
    const { code, stderr } = await LocalServer.fail(freshFolder(), { PORT: "http" });
    expect(code).toBe(1);
    expect(stderr).toBe(
      'PORT is "http". It takes a number from 1 to 65535, or 0 for any free port.\n',
    );
  });

  test("a start is refused with a sentence for each setting that is wrong, without showing a secret", async () => {
    const { code, stderr } = await LocalServer.fail(freshFolder(), {
      FLORIN_AUTH: "maybe",
      FLORIN_MAX_PAGE_SIZE: "0",
      FLORIN_SECRET_KEY: "tell-no-one",
    });
    expect(code).toBe(1);
    expect(stderr.trim().split("\n")).toHaveLength(3);
    expect(stderr).toContain('FLORIN_AUTH is "maybe". It takes "on" or "off".');
    expect(stderr).toContain('FLORIN_MAX_PAGE_SIZE is "0". It takes an integer from 1 to 1000.');
    expect(stderr).toContain("FLORIN_SECRET_KEY");
    expect(stderr).not.toContain("tell-no-one");
  });
});
