import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { stringifyJson } from "#platform/json.ts";
import { act } from "#scripts/florin/api/act.ts";
import { byMatch, byQuery } from "#scripts/florin/api/filters.ts";
import { amountOf, postingOf } from "#scripts/florin/api/input.ts";
import { list } from "#scripts/florin/api/list.ts";
import { show } from "#scripts/florin/api/show.ts";
import type { Nouns } from "#scripts/florin/command.ts";
import { LoginStore, type StoredLogin } from "#scripts/florin/login/login-store.ts";
import { EXIT_CODES, runCommand } from "#scripts/florin/main.ts";

const PATH = "/api/things";

const NOUNS: Nouns = {
  things: {
    summary: "Things",
    group: "Tests",
    verbs: {
      list: list({
        summary: "Lists things",
        path: PATH,
        scope: "things:read",
        filters: byMatch({ name: "text", size: "integer", done: "boolean", "metadata[]": "text" }),
        columns: { Id: "id" },
        empty: "There are no things.",
      }),
      find: list({
        summary: "Finds things",
        path: PATH,
        scope: "things:read",
        filters: byQuery("name"),
        isPaged: false,
        columns: { Id: "id" },
        empty: "There are no things.",
      }),
      show: show({
        summary: "Shows a thing",
        parameters: ["thing"],
        path: `${PATH}/{thing}`,
        scope: "things:read",
        fields: { Id: "id" },
      }),
      paint: act({
        summary: "Paints a thing",
        parameters: ["thing"],
        options: { color: { kind: "text", meaning: "the color" } },
        method: "POST",
        path: `${PATH}/{thing}`,
        scope: "things:write",
        body: (call) => ({ color: call.text("color") }),
        isIdempotent: true,
        says: (call) => `${call.parameter("thing")} is painted.`,
      }),
      break: act({
        summary: "Breaks a thing",
        parameters: ["thing"],
        method: "DELETE",
        path: `${PATH}/{thing}`,
        scope: "things:write",
        loses: (call) => ({ name: call.parameter("thing"), loss: "The thing is gone." }),
        says: () => "It is broken.",
      }),
    },
  },
};

interface SeenRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

type Answer = readonly [status: number, body: unknown, headers?: Record<string, string>];

let seen: SeenRequest[] = [];
let answer: (request: SeenRequest) => Answer | undefined;
let origin: string;

const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (text: string) => (body += text));
  request.on("end", () => {
    const { method = "", headers, url = "" } = request;
    const call = { method, headers, url: new URL(url, origin), body };
    seen.push(call);
    const given = answer(call);
    if (given === undefined) return void request.socket.destroy();
    const [status, data, more = {}] = given;
    response.writeHead(status, { "content-type": "application/json", ...more });
    response.end(data === undefined ? "" : stringifyJson(data));
  });
});

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => void server.close());

beforeEach(() => {
  seen = [];
});

async function florin(
  args: readonly string[],
  ask?: (question: string) => Promise<string>,
  env: NodeJS.ProcessEnv = { FLORIN_TOKEN: "token" },
): Promise<{ code: number; output: string; notes: string }> {
  const lines: string[] = [];
  const notes: string[] = [];
  const code = await runCommand(args, NOUNS, {
    env: { FLORIN_URL: origin, ...env },
    write: (line) => void lines.push(line),
    note: (line) => void notes.push(line),
    ask,
  });
  return { code, output: lines.join("\n"), notes: notes.join("\n") };
}

/** Answers as a list of `total` things, whose cursor is the number of the next one. */
const things =
  (total: number) =>
  (request: SeenRequest): Answer => {
    const { searchParams } = request.url;
    const first = Number(searchParams.get("cursor") ?? 0);
    const size = Number(searchParams.get("pageSize") ?? 100);
    const data = Array.from({ length: Math.min(size, total - first) }, (_, index) => ({
      id: first + index,
    }));
    const next = first + data.length;
    return [200, { cursor: { data, hasMore: next < total, next: String(next) } }];
  };

describe("a declared list", () => {
  test("a list shows so many as are wanted, and says that there are more", async () => {
    answer = things(250);
    expect(await florin(["things", "list", "--limit", "3"])).toEqual({
      code: EXIT_CODES.done,
      output: "Id\n0\n1\n2",
      notes: "There are more than 3: --limit shows more of them, and --all shows all.",
    });
    expect(seen.map(({ url }) => url.search)).toEqual(["?pageSize=4"]);
    expect(seen[0]?.headers.authorization).toBe("Bearer token");
  });

  test("a list of exactly so many as are wanted says nothing more", async () => {
    answer = things(3);
    expect((await florin(["things", "list", "--limit", "3"])).notes).toBe("");
  });

  test("a list with --all reads page after page, each with the cursor of the one before", async () => {
    answer = things(250);
    const { output } = await florin(["things", "list", "--all", "--json"]);
    expect(JSON.parse(output)).toHaveLength(250);
    expect(seen.map(({ url }) => url.search)).toEqual([
      "?pageSize=100",
      "?cursor=100",
      "?cursor=200",
    ]);
  });

  test("a list sends its filters in the form of the API", async () => {
    answer = things(0);
    const filters = ["name=a=b", "size>=12345678901234567890", "done=true", "metadata[x]!=y"];
    const args = filters.flatMap((filter) => ["--filter", filter]);
    const { output } = await florin(["things", "list", ...args]);
    expect(output).toBe("There are no things.");
    expect(seen[0]?.url.searchParams.get("query")).toBe(
      '{"$and":[{"$match":{"name":"a=b"}},{"$gte":{"size":12345678901234567890}},{"$match":{"done":true}},{"$not":{"$match":{"metadata[x]":"y"}}}]}',
    );
    await florin(["things", "find", "--filter", "name=a"]);
    expect(seen[1]?.url.search).toBe("?name=a");
  });

  test.each([
    [["list", "--filter", "name"], "It takes key=value."],
    [["list", "--filter", "color=red"], 'There is no filter "color".'],
    [["list", "--filter", "toString=1"], 'There is no filter "toString".'],
    [["list", "--filter", "size=big"], "The filter size takes an integer"],
    [["list", "--filter", "done=maybe"], "The filter done takes true or false"],
    [["find", "--filter", "name>a"], "It takes key=value."],
    [["list", "--limit", "0"], "--limit is"],
    [["list", "--limit", "5", "--all"], "give one of them"],
  ])("a wrong list %j is refused before anything is sent", async (args, problem) => {
    const { code, notes } = await florin(["things", ...args]);
    expect([code, seen]).toEqual([EXIT_CODES.usage, []]);
    expect(notes).toContain(problem);
  });
});

test("a long list goes on with a new token when that of the login ends in the middle", async () => {
  const home = mkdtempSync(join(tmpdir(), "florin-long-list-"));
  const login: StoredLogin = {
    person: "ada@example.com",
    scopes: ["things:read"],
    accessToken: "access-1",
    expiresMs: Date.now() + 3_600_000,
    refreshToken: "refresh-1",
  };
  await LoginStore.of({ XDG_CONFIG_HOME: home }).update(origin, async () => login);
  const tokens = { access_token: "access-2", refresh_token: "refresh-2", expires_in: 300 };
  answer = (request) => {
    if (request.method === "POST") return [200, { ...tokens, scope: "things:read" }];
    const isLate = request.url.searchParams.get("cursor") === "100";
    const isOld = request.headers.authorization === "Bearer access-1";
    if (isLate && isOld) return [401, {}, { "www-authenticate": 'Bearer error="invalid_token"' }];
    return things(250)(request);
  };
  const env = { XDG_CONFIG_HOME: home };
  const { code, output } = await florin(["things", "list", "--all", "--json"], undefined, env);
  expect([code, (JSON.parse(output) as unknown[]).length]).toEqual([EXIT_CODES.done, 250]);
  expect(seen.map(({ headers }) => headers.authorization)).toEqual([
    "Bearer access-1",
    "Bearer access-1",
    undefined,
    "Bearer access-2",
    "Bearer access-2",
  ]);
});

describe("a declared verb of one thing", () => {
  test("a path has its parameters in one segment each", async () => {
    answer = () => [200, { data: { id: 7 } }];
    expect((await florin(["things", "show", "a/b?c:d"])).output).toBe("  Id  7");
    expect(seen[0]?.url.pathname).toBe(`${PATH}/a%2Fb%3Fc%3Ad`);
  });

  test.each(["..", ".", ""])("the parameter %j leads to no other path", async (word) => {
    expect((await florin(["things", "show", word])).code).toBe(EXIT_CODES.usage);
    expect(seen).toEqual([]);
  });

  test("a redirection is not followed", async () => {
    answer = () => [302, undefined, { location: "https://other.example.com/" }];
    expect((await florin(["things", "show", "a"])).notes).toBe("The server answers 302: ");
  });

  test("a refusal is the server's own sentence, and ends with 1", async () => {
    answer = () => [404, { errorCode: "NOT_FOUND", errorMessage: "[NOT_FOUND] no thing" }];
    expect(await florin(["things", "show", "a"])).toEqual({
      code: EXIT_CODES.failed,
      output: "",
      notes: "The server refuses: no thing",
    });
  });

  test("a token that the environment gives is not sent again after a refusal", async () => {
    answer = () => [401, {}, { "www-authenticate": 'Bearer error="invalid_token"' }];
    const { notes } = await florin(["things", "show", "a"]);
    expect(notes).toContain("does not take the token of FLORIN_TOKEN");
    expect(seen).toHaveLength(1);
  });
});

describe("a declared change", () => {
  test("a change has a new idempotency key, or the given one", async () => {
    answer = () => [204, undefined];
    expect(await florin(["things", "paint", "a", "--color", "red"])).toMatchObject({
      code: EXIT_CODES.done,
      output: "a is painted.",
    });
    expect(seen[0]?.headers["idempotency-key"]).toMatch(/^[\da-f-]{36}$/);
    expect(seen[0]?.body).toBe('{"color":"red"}');
    await florin(["things", "paint", "a", "--idempotency-key", "mine"]);
    expect(seen[1]?.headers["idempotency-key"]).toBe("mine");
  });

  test.each([
    ["breaks off", () => undefined],
    ["fails", () => [500, { errorMessage: "[INTERNAL] broken" }] as const],
  ])("a change whose server %s says how to repeat it safely", async (_what, given) => {
    answer = given;
    const { code, notes } = await florin(["things", "paint", "a"]);
    const key = String(seen[0]?.headers["idempotency-key"]);
    expect(code).toBe(EXIT_CODES.failed);
    expect(notes).toContain(`Repeat the command with --idempotency-key ${key}`);
  });

  test("a change that the server refuses was not done, and has no key to repeat", async () => {
    answer = () => [400, { errorMessage: "[VALIDATION] no" }];
    expect((await florin(["things", "paint", "a"])).notes).toBe("The server refuses: no");
  });
});

describe("what is lost", () => {
  test("something is lost when its name is typed again", async () => {
    answer = () => [204, undefined];
    const questions: string[] = [];
    const ask = async (question: string) => {
      questions.push(question);
      return "a ";
    };
    expect(await florin(["things", "break", "a"], ask)).toMatchObject({ code: EXIT_CODES.done });
    expect(questions).toEqual(["The thing is gone. Type a to go on: "]);
    expect(seen.map(({ method }) => method)).toEqual(["DELETE"]);
  });

  test.each([
    ["another name is typed", async () => "b", "The name is another one."],
    ["nobody is there", undefined, "Nobody is at a terminal"],
  ])("nothing is lost where %s", async (_what, ask, sentence) => {
    const { code, notes } = await florin(["things", "break", "a"], ask);
    expect([code, seen]).toEqual([EXIT_CODES.failed, []]);
    expect(notes).toContain(sentence);
  });

  test("--yes asks nobody", async () => {
    answer = () => [204, undefined];
    expect((await florin(["things", "break", "a", "--yes"])).output).toBe("It is broken.");
  });
});

describe("amounts and postings", () => {
  test("a posting has exact amounts", () => {
    expect(postingOf(" world->users:1  99999999999999999999 USD/2 ")).toEqual({
      source: "world",
      destination: "users:1",
      amount: 99_999_999_999_999_999_999n,
      asset: "USD/2",
    });
  });

  test.each(["world users:1 100 USD/2", "world -> users:1 100", "world -> users:1 100 USD/2 x"])(
    "%j is no posting",
    (text) => {
      expect(() => postingOf(text)).toThrow("is no posting");
    },
  );

  test.each(["1.00", "-1", "1e3", "", "0x10"])("%j is no amount", (text) => {
    expect(() => amountOf(text)).toThrow("is no amount");
  });
});
