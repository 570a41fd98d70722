import { execFile } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const folder = freshFolder();
let server: LocalServer;

beforeAll(async () => {
  server = await LocalServer.start(folder);
});
afterAll(() => server.killAll());

/** What the server answers to these bytes, up to the end of the connection. */
function exchange(...lines: readonly string[]): Promise<string> {
  const { promise, resolve: settle, reject } = Promise.withResolvers<string>();
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  let answer = "";
  socket.setEncoding("utf8").on("data", (text: string) => {
    answer += text;
  });
  socket.once("error", reject).once("close", () => settle(answer));
  socket.write(lines.join("\r\n"));
  return promise;
}

const CLOSE = "Connection: close";

describe("requests that are no HTTP, or no request to this server", () => {
  test.each([
    ["Host: a b", 400],
    ["Host: x/y?z#", 400],
    ["Host: user@localhost", 400],
    ["Host: localhost", 200],
  ])("with '%s' answer %i in JSON", async (host, status) => {
    const answer = await exchange("GET /versions HTTP/1.1", host, CLOSE, "", "");
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toMatch(/content-type: application\/json/i);
  });

  test.each([
    ["is no number", "ZZ\r\nabc\r\n0\r\n\r\n"],
    ["is wrong", "5\r\nabcdeXX\r\n0\r\n\r\n"],
  ])("with a chunk whose length %s answer 400", async (_how, body) => {
    const head = ["POST /api/auth/oauth/token HTTP/1.1", "Host: localhost", CLOSE];
    const answer = await exchange(...head, "Transfer-Encoding: chunked", "", body);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toContain('"error":"invalid_request"');
  });
});

describe("headers of the runtime", () => {
  test("choose neither Worker nor URL", async () => {
    const headers = {
      "MF-Route-Override": "florin-files",
      "MF-Original-URL": "http://evil.example/nothing",
      "X-Forwarded-Proto": "https",
      "X-Forwarded-Host": "evil.example",
    };
    const path = "/api/auth/.well-known/openid-configuration";
    const response = await fetch(server.url + path, { headers });
    expect(await response.json()).toMatchObject({ issuer: `${server.url}/api/auth` });
  });

  test.each(['{"colo":"X"}', "nonsense"])("cannot say '%s' for Cloudflare's edge", async (blob) => {
    const headers = { "MF-CF-Blob": blob, "cf-ray": "0123456789abcdef" };
    const response = await fetch(`${server.url}/versions`, { headers });
    expect(response.status).toBe(400);
    expect(response.headers.get("x-request-id")).not.toBe("0123456789abcdef");
  });
});

const run = promisify(execFile);

describe("npm run florin", () => {
  const florin = async (...args: string[]) => {
    const options = { cwd: ROOT, env: { ...process.env, FLORIN_STATE_DIR: folder } };
    const { stdout } = await run(process.execPath, ["scripts/florin.ts", ...args], options);
    return stdout;
  };

  test("creates, shows and deletes a client, and verifies a ledger", async () => {
    const words = ["clients", "create", "shop", "--scopes", "ledger:read,ledger:write", "--json"];
    words.push("--ledgers", "eu-*,main");
    const made = JSON.parse(await florin(...words)) as { id: string; secret: string };
    expect(await florin("clients", "show", made.id)).toMatch(
      /ledger:read ledger:write\n[^]*ledgers: eu-\*, main/,
    );
    expect(await florin("clients", "list")).toContain(made.id);
    expect(await florin("clients", "add-secret", made.id)).toMatch(/^Secret {2}\S+$/m);
    expect(await florin("clients", "delete", made.id)).toBe(`The client ${made.id} is deleted.\n`);
    const refused = await florin("clients", "show", made.id).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused).toHaveProperty("stderr", expect.stringMatching(/^The server refuses: .+\n$/));
    await server.api("/api/ledger/v2/books", { method: "POST" });
    expect(await florin("ledger", "verify", "books")).toContain("agrees with its log");
  });
});

test("nothing that the server has stored holds a secret, a token or a key in clear", async () => {
  const secrets: string[] = [server.clientSecret, await server.token()];
  const client = (await server.json("/api/auth/clients", { body: { name: "dump" } })) as Made;
  const secret = (await server.json(`/api/auth/clients/${client.data.id}/secrets`, {
    body: { name: "dump" },
  })) as Made;
  const hook = (await server.json("/api/webhooks/configs", {
    body: { endpoint: "https://example.com/hook", eventTypes: ["ledger.committed_transactions"] },
  })) as Made;
  const exporter = "http://user:exporter-password-7261@127.0.0.1:1/db";
  await server.json("/api/ledger/v2/_/exporters", {
    body: { driver: "clickhouse", config: { dsn: exporter } },
  });
  await server.json("/api/payments/v3/connectors/install/generic", {
    body: {
      name: "dump",
      apiKey: "connector-key-9154",
      endpoint: "https://psp.example.com",
      pollingPeriod: "1h",
    },
  });
  const { secretKey } = JSON.parse(readFileSync(join(folder, "secrets.json"), "utf8")) as {
    secretKey: string;
  };
  secrets.push(secret.data.clear ?? "", hook.data.secret ?? "", secretKey);
  secrets.push("exporter-password-7261", "connector-key-9154", "BEGIN PRIVATE KEY");
  const files = filesOf(join(folder, "v3"));
  expect(files.some((file) => file.endsWith(".sqlite"))).toBe(true);
  const found = files.flatMap((file) => {
    const content = readFileSync(file);
    return secrets.filter((text) => text === "" || content.includes(text));
  });
  expect(found).toEqual([]);
});

interface Made {
  readonly data: { readonly id: string; readonly clear?: string; readonly secret?: string };
}

/** All files in a folder: databases with their logs, which hold what was deleted, too, and objects. */
const filesOf = (path: string): string[] =>
  readdirSync(path, { recursive: true, encoding: "utf8" })
    .map((name) => join(path, name))
    .filter((name) => statSync(name).isFile());
