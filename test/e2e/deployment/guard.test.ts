import { request } from "node:http";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { eventually } from "#test/support/platform/eventually.ts";
import { commandLine, runCommandLine } from "#test/support/runner/command-line.ts";
import { sharedFolder, sharedServer } from "#test/support/runner/shared-server.ts";

const server = sharedServer();
const folder = sharedFolder();

/** The server's answer to lines of HTTP, up to the end of the connection. */
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
  ])("a request that is no HTTP, with '%s', is answered with %i in JSON", async (host, status) => {
    const answer = await exchange("GET /versions HTTP/1.1", host, CLOSE, "", "");
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toMatch(/content-type: application\/json/i);
  });

  test.each(["example.com:443", "127.0.0.1:22", "/"])(
    "requests for a tunnel to %s are refused without a word of what runs",
    async (target) => {
      const answer = await exchange(`CONNECT ${target} HTTP/1.1`, "Host: localhost", CLOSE, "", "");
      const [head = "", body] = answer.split("\r\n\r\n");
      expect(head).toMatch(/^HTTP\/1.1 500 Internal Server Error\r\n/);
      expect(body).toBe("Internal Server Error");
    },
  );

  test.each([
    ["is no number", "ZZ\r\nabc\r\n0\r\n\r\n"],
    ["is wrong", "5\r\nabcdeXX\r\n0\r\n\r\n"],
  ])("requests with a chunk whose length %s answer 400", async (_how, body) => {
    const head = ["POST /api/auth/oauth/token HTTP/1.1", "Host: localhost", CLOSE];
    const answer = await exchange(...head, "Transfer-Encoding: chunked", "", body);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toContain('"error":"invalid_request"');
  });
});

describe("headers of the runtime", () => {
  test("headers of the runtime choose neither Worker nor URL", async () => {
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

  test.each(['{"colo":"X"}', "nonsense"])(
    "headers of the runtime cannot say '%s' for Cloudflare's edge",
    async (blob) => {
      const headers = { "MF-CF-Blob": blob, "cf-ray": "0123456789abcdef" };
      const response = await fetch(`${server.url}/versions`, { headers });
      expect(response.status).toBe(200);
      expect(response.headers.get("x-request-id")).not.toBe("0123456789abcdef");
    },
  );

  test("headers of the runtime do not choose the address to which failed attempts are charged", async () => {
    const attempt = (number: number, localAddress: string): Promise<number> => {
      const { promise, resolve: settle, reject } = Promise.withResolvers<number>();
      const headers = {
        "content-type": "application/x-www-form-urlencoded",
        "cf-connecting-ip": `203.0.113.${number}`,
        "x-forwarded-for": `203.0.113.${number}`,
        "MF-CF-Blob": `{"clientIp":"203.0.113.${number}:1"}`,
      };
      const options = { method: "POST", headers, localAddress };
      const call = request(`${server.url}/api/auth/oauth/token`, options, (answer) => {
        answer.resume();
        settle(answer.statusCode ?? 0);
      });
      call.once("error", reject);
      call.end("grant_type=client_credentials&client_id=guessed&client_secret=wrong");
      return promise;
    };
    const statuses: number[] = [];
    for (let number = 1; number <= 11; number++) statuses.push(await attempt(number, "127.0.0.1"));
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
    expect(await attempt(12, "127.0.0.9")).toBe(401);
  });
});

describe("npm run florin", () => {
  const env = { FLORIN_STATE_DIR: folder };
  const florin = commandLine(env);

  test("npm run florin shows what operators look at, and runs a sweep", async () => {
    expect(await florin("dead-letters", "list")).toBe("There are no dead letters.");
    expect(await florin("dead-letters", "retry", "all")).toBe("No dead letter waits.");
    // The server is that of other tests, too, which may have let something wait.
    expect(JSON.parse(await florin("stuck", "list", "--json"))).toHaveProperty("unread", []);
    expect(await florin("storage", "show")).toMatch(/database +\d+\.\d MB/);
    const settings = await florin("settings", "list", "--set");
    expect(settings).toMatch(/FLORIN_SECRET_KEY +\*\*\* +set/);
    expect(settings).not.toContain("is no setting");
    expect(await florin("sweeps", "run", "outbox")).toMatch(/^The sweep outbox runs at 20/);
    await eventually(async () => {
      expect(await florin("sweeps", "list")).toMatch(/^outbox +20/m);
    });
  });

  test("npm run florin creates, shows and deletes a client, and verifies a ledger", async () => {
    const words = ["clients", "create", "shop", "--scopes", "ledger:read,ledger:write", "--json"];
    words.push("--ledgers", "eu-*,main");
    const made = JSON.parse(await florin(...words)) as { id: string; secret: string };
    for (const named of [made.id, "shop"]) {
      expect(await florin("clients", "show", named)).toMatch(
        /ledger:read ledger:write\n[^]*ledgers: eu-\*, main/,
      );
    }
    expect(await florin("clients", "list")).toContain(made.id);
    expect(await florin("clients", "add-secret", made.id)).toMatch(/^Secret {2}\S+$/m);
    const given = ["--requests", "50/200", "--streams", "5"];
    const shown = /a quota of its own\n.*50 a second, 200 at once +200 left\n.*5 at once +0 open/;
    expect(await florin("clients", "set-quota", "shop", ...given)).toMatch(shown);
    expect(await florin("clients", "quota", made.id)).toMatch(shown);
    expect(await florin("clients", "clear-quota", "shop")).toContain("no quota of its own");
    expect(await florin("clients", "quota", "shop")).toContain("no quota");
    const twin = JSON.parse(await florin("clients", "create", "shop", "--json")) as { id: string };
    const { notes } = await runCommandLine(env, ["clients", "delete", "shop", "--yes"]);
    expect(notes).toMatch(/^2 clients are called 'shop'\. Name one by its id:\n {2}\S+\n {2}\S+$/);
    for (const { id } of [made, twin]) {
      expect(await florin("clients", "delete", id, "--yes")).toBe(`The client ${id} is deleted.`);
    }
    expect(await runCommandLine(env, ["clients", "show", "shop"])).toEqual({
      code: 1,
      output: "",
      notes: "There is no client 'shop'.",
    });
    await server.api("/api/ledger/v2/books", { method: "POST" });
    expect(await florin("ledger", "verify", "books")).toContain("agrees with its log");
  });

  test("npm run florin prints links with which a person, by address or id, sets a new password or signs in", async () => {
    const invitation = await florin("people", "invite", "--email", "ada@example.com");
    const [url = ""] = invitation.split("\n");
    const origin = server.url;
    const token = new URL(url).searchParams.get("token") ?? "";
    const body = new URLSearchParams({ token, password: "correct horse battery" });
    await fetch(`${origin}/api/auth/invitation`, { method: "POST", body });
    const reset = JSON.parse(await florin("people", "reset", "ADA@example.com", "--json")) as {
      id: string;
      url: string;
    };
    expect(await (await fetch(reset.url)).text()).toContain("Choose a new password");
    expect(await florin("people", "reset", reset.id)).toMatch(
      /^http\S+\nada@example.com sets a new password with this link, until \S+\.$/,
    );
    expect((await fetch(reset.url)).status).toBe(404);
    const link = await florin("people", "sign-in-link", "Ada@example.com");
    expect(link).toMatch(
      /^http\S+\/console\/sign-in#\S+\nThe link signs in as ada@example.com to the console, once, until \S+\.$/,
    );
    const [signInUrl = ""] = link.split("\n");
    const secret = new URL(signInUrl).hash.slice(1);
    const signedIn = await fetch(`${origin}/api/auth/sign-in`, {
      method: "POST",
      body: JSON.stringify({ secret }),
    });
    expect(signedIn.status).toBe(204);
    const unknown = await runCommandLine(env, ["people", "reset", "bob"]);
    expect(unknown).toEqual({ code: 1, output: "", notes: "There is no person bob." });
  });
});
