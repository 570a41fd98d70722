import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { SignJWT, generateKeyPair } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildWorker } from "#scripts/lib/build/worker.ts";
import { type Server, startServer } from "#scripts/lib/runtime/server.ts";
import { readLocalSettings } from "#scripts/lib/settings/local.ts";
import { StateFolder } from "#scripts/lib/state.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { StubInternet } from "#test/support/platform/outbound/stub-internet.ts";
import { freshFolder } from "#test/support/platform/server.ts";

const PUBLIC = "93.184.216.34";
const LEDGER = "watched";

/** Paths that a local server got. No call may reach the server, unless its name has a public address. */
const received: string[] = [];
const receiver = createServer((request: IncomingMessage, response: ServerResponse) => {
  const [, kind = ""] = (request.url ?? "").split("/");
  received.push(`${request.headers.host} ${request.url}`);
  if (kind === "redirect") response.writeHead(307, { location: "/in" }).end();
  else if (kind === "endless") sendForEver(response);
  else response.end("here");
});

const ended = Promise.withResolvers<void>();

function sendForEver(response: ServerResponse): void {
  const more = (): void => {
    while (response.write(Buffer.alloc(65_536)));
  };
  response.on("drain", more).once("close", () => ended.resolve());
  more();
}

const internet = new StubInternet();
let folder: StateFolder;
let server: Server;
let port: number;
let headers: Record<string, string>;

beforeAll(async () => {
  await once(receiver.listen(0, "127.0.0.1"), "listening");
  ({ port } = receiver.address() as AddressInfo); // a server that listens on a port
  folder = await StateFolder.open(freshFolder());
  const vars = readLocalSettings({
    FLORIN_ALLOW_PRIVATE_HOSTS: "false",
    FLORIN_TRUSTED_ISSUERS: `http://issuer.example.com:${port}`,
  }).varsWith(folder.secrets());
  const script = await buildWorker();
  const options = { script, folder, port: 0, vars, onLog: () => undefined };
  server = await startServer({ ...options, network: internet.ports });
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: vars["FLORIN_CLIENT_ID"] ?? "",
    client_secret: vars["FLORIN_CLIENT_SECRET"] ?? "",
    scope: "ledger:write webhooks:write",
  });
  const token = await fetch(`${server.url}/api/auth/oauth/token`, { method: "POST", body });
  const { access_token: text } = await token.json<{ access_token: string }>();
  headers = { authorization: `Bearer ${text}`, "content-type": "application/json" };
});
afterAll(async () => {
  await server?.stop();
  folder?.release();
  receiver.close();
  receiver.closeAllConnections();
});

async function api<T>(path: string, body?: unknown, method = "POST"): Promise<T> {
  const response = await fetch(`${server.url}${path}`, {
    headers,
    ...(body === undefined ? {} : { method, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} answers ${response.status}: ${text}`);
  return (text === "" ? undefined : JSON.parse(text)) as T; // each caller names the type of its operation's answer
}

const urlOf = (name: string, path = "in"): string => `http://${name}:${port}/${path}`;

const callsOf = (name: string): string[] => received.filter((call) => call.startsWith(name));

/** The status of a test request to an endpoint; 0 for a request without an answer. */
async function statusOf(endpoint: string): Promise<number> {
  const eventTypes = ["ledger.committed_transactions"];
  const config = await api<{ data: { id: string } }>("/api/webhooks/configs", {
    endpoint,
    eventTypes,
  });
  const { id } = config.data;
  const attempt = await api<{ data: { statusCode: number } }>(`/api/webhooks/configs/${id}/test`);
  await fetch(`${server.url}/api/webhooks/configs/${id}`, { method: "DELETE", headers });
  return attempt.data.statusCode;
}

describe("a webhook", () => {
  test("a webhook is called at the public address of its name", async () => {
    internet.register("public.example.com", [PUBLIC]);
    expect(await statusOf(urlOf("public.example.com"))).toBe(200);
    expect(callsOf("public.example.com")).toHaveLength(1);
    expect(internet.connections).toContainEqual([PUBLIC]);
  });

  test.each([
    ["private", [["10.0.0.1"]]],
    ["loopback", [["127.0.0.1"]]],
    ["metadata", [["169.254.169.254"]]],
    ["mixed", [[PUBLIC, "127.0.0.1"]]],
    ["unknown", []],
  ])("a webhook whose name has other addresses is not called: %s", async (kind, answers) => {
    const name = `${kind}.example.com`;
    internet.register(name, ...answers);
    expect(await statusOf(urlOf(name))).toBe(0);
    expect(internet.lookups).toContain(name);
    expect(callsOf(name)).toEqual([]);
  });

  test("a webhook follows no redirect", async () => {
    internet.register("redirecting.example.com", [PUBLIC]);
    expect(await statusOf(urlOf("redirecting.example.com", "redirect"))).toBe(307);
    expect(callsOf("redirecting.example.com")).toHaveLength(1);
  });

  test("a webhook reads no answer without end", async () => {
    internet.register("endless.example.com", [PUBLIC]);
    expect(await statusOf(urlOf("endless.example.com", "endless"))).toBe(200);
    await ended.promise;
  });
});

test("a pipeline whose exporter's name has a private address says so", async () => {
  internet.register("logs.example.com", ["10.0.0.1"]);
  await api(`/api/ledger/v2/${LEDGER}`, {});
  const config = { url: urlOf("logs.example.com") };
  const exporter = await api<{ data: { id: string } }>("/api/ledger/v2/_/exporters", {
    driver: "http",
    config,
  });
  await api(`/api/ledger/v2/${LEDGER}/pipelines`, { exporterID: exporter.data.id });
  const posting = { source: "world", destination: "bank", asset: "EUR/2", amount: 1 };
  await api(`/api/ledger/v2/${LEDGER}/transactions`, { postings: [posting] });
  await eventually(async () => {
    const states = await api(`/api/florin/v1/ledgers/${LEDGER}/pipelines`);
    expect(JSON.stringify(states)).toContain("the address of logs.example.com is not public");
  });
  expect(callsOf("logs.example.com")).toEqual([]);
});

test("an issuer whose name has a private address gives no keys", async () => {
  internet.register("issuer.example.com", ["10.0.0.1"]);
  const { privateKey } = await generateKeyPair("RS256");
  const token = await new SignJWT({ scope: "ledger:read" })
    .setProtectedHeader({ alg: "RS256", kid: "1" })
    .setIssuer(`http://issuer.example.com:${port}`)
    .setExpirationTime("1h")
    .sign(privateKey);
  const response = await fetch(`${server.url}/api/ledger/v2`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(response.status).toBe(401);
  expect(internet.lookups).toContain("issuer.example.com");
  expect(callsOf("issuer.example.com")).toEqual([]);
});
