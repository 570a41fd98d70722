import { describe, expect, test } from "vitest";
import { clickhouseDriver } from "#modules/exporters/drivers/clickhouse.ts";
import { parseJson } from "#platform/json.ts";
import {
  FakeServer,
  configErrorOf,
  item,
  items,
  LARGE,
} from "#test/support/exporters/destinations.ts";

const linesOf = (text: string): string[] => text.split("\n").slice(0, -1);

describe("the clickhouse driver", () => {
  const NOT_ABSOLUTE = "dsn is not an absolute URL of http(s):// or clickhouse://";
  const dsn = "http://us%40er:p%3Ass@127.0.0.1:9/books?max_execution_time=60";

  test("the clickhouse driver makes the table once and inserts a line for each entry", async () => {
    const server = new FakeServer();
    const destination = clickhouseDriver.open({ dsn }, server.context());
    expect(await destination.send("main", items(1, 3))).toBeUndefined();
    expect(await destination.send("main", [item(4)])).toBeUndefined();
    expect(server.calls).toHaveLength(3);
    const [create, insert, next] = server.calls;
    expect(create?.body).toMatch(
      /^CREATE TABLE IF NOT EXISTS logs \([^;]+\) ENGINE = ReplacingMergeTree ORDER BY \(ledger, id\)$/,
    );
    expect(create?.url.searchParams.has("query")).toBe(false);
    for (const call of server.calls) {
      expect(call.url.origin + call.url.pathname).toBe("http://127.0.0.1:9/");
      expect(call.url.username + call.url.password).toBe("");
      expect(call.headers.get("x-clickhouse-user")).toBe("us@er");
      expect(call.headers.get("x-clickhouse-key")).toBe("p:ss");
      expect(Object.fromEntries(call.url.searchParams)).toMatchObject({
        database: "books",
        max_execution_time: "60",
        async_insert: "0",
        wait_end_of_query: "1",
        date_time_input_format: "best_effort",
      });
    }
    expect(insert?.url.searchParams.get("query")).toBe(
      "INSERT INTO logs (ledger, id, type, date, data) FORMAT JSONEachRow",
    );
    expect(linesOf(insert?.body ?? "").map((line) => parseJson(line))).toEqual(
      items(1, 3).map(({ id, text }) => {
        const { type, date, data } = parseJson(text) as Record<string, unknown>;
        return { ledger: "main", id, type, date, data };
      }),
    );
    expect(linesOf(next?.body ?? "")).toHaveLength(1);
    expect(next?.body).toContain(`"amount":${LARGE}`);
  });

  test("the clickhouse driver makes the table again after a failure", async () => {
    const server = new FakeServer();
    const destination = clickhouseDriver.open({ dsn }, server.context());
    await destination.send("main", [item(1)]);
    server.respond = ({ url }) =>
      url.searchParams.has("query")
        ? new Response("Code: 60. DB::Exception: Table books.logs does not exist", { status: 404 })
        : new Response(null);
    expect(await destination.send("main", [item(2)])).toBe(
      "the answer is 404: Code: 60. DB::Exception: Table books.logs does not exist",
    );
    server.respond = () => new Response(null);
    expect(await destination.send("main", [item(2)])).toBeUndefined();
    expect(server.calls.map(({ url }) => url.searchParams.has("query"))).toEqual([
      false,
      true,
      true,
      false,
      true,
    ]);
  });

  test("the clickhouse driver inserts into an existing table if it may not make one", async () => {
    const server = new FakeServer();
    const denied = "Code: 497. DB::Exception: user: Not enough privileges. (ACCESS_DENIED)";
    server.respond = ({ url }) =>
      url.searchParams.has("query") ? new Response(null) : new Response(denied, { status: 403 });
    const destination = clickhouseDriver.open({ dsn }, server.context());
    expect(await destination.send("main", [item(1)])).toBeUndefined();
    expect(await destination.send("main", [item(2)])).toBeUndefined();
    expect(server.calls).toHaveLength(3);
    server.respond = () => new Response(denied, { status: 403 });
    expect(await destination.send("main", [item(3)])).toBe(`the answer is 403: ${denied}`);
  });

  test.each([
    ["clickhouse://u:p@ch.example.com:9000/d", "http://ch.example.com:8123"],
    ["clickhouse://u:p@ch.example.com:9440/d", "https://ch.example.com:8443"],
    ["clickhouse://u:p@ch.example.com/d", "http://ch.example.com:8123"],
    ["clickhouse://u:p@ch.example.com/d?secure=true", "https://ch.example.com:8443"],
    ["clickhouse://u:p@ch.example.com:9000/d?secure=1", "https://ch.example.com:8443"],
    ["clickhouse://u:p@ch.example.com:9440/d?secure=true", "https://ch.example.com:8443"],
    ["clickhouse://u:p@ch.example.com:9000/d?secure=false", "http://ch.example.com:8123"],
    ["clickhouse://u:p@ch.example.com:19000/d?http_port=18123", "http://ch.example.com:18123"],
    ["clickhouse://u:p@ch.example.com:9440/d?http_port=443", "https://ch.example.com"],
    ["ClickHouse://u:p@[::1]:9000/d", "http://[::1]:8123"],
  ])("the clickhouse driver maps %s to the HTTP interface at %s", async (native, origin) => {
    const server = new FakeServer();
    const destination = clickhouseDriver.open({ dsn: native }, server.context());
    expect(await destination.send("main", [item(1)])).toBeUndefined();
    for (const { url, headers } of server.calls) {
      expect(url.origin).toBe(origin);
      expect(url.searchParams.get("database")).toBe("d");
      expect(url.searchParams.has("secure") || url.searchParams.has("http_port")).toBe(false);
      expect(headers.get("x-clickhouse-user")).toBe("u");
      expect(headers.get("x-clickhouse-key")).toBe("p");
    }
    expect(server.calls).toHaveLength(2);
  });

  test.each(["80", "8123", "9001"])(
    "the clickhouse driver takes the native port %s, and says at each delivery which port is missing, without a call",
    async (port) => {
      const server = new FakeServer();
      const dsn = `clickhouse://u:p@h.example.com:${port}/d`;
      const destination = clickhouseDriver.open({ dsn }, server.context());
      expect(await destination.send("main", [item(1)])).toBe(
        `dsn has the port ${port}, from which the port of the HTTP interface cannot be known: name it with ?http_port=`,
      );
      expect(server.calls).toEqual([]);
    },
  );

  test.each([
    ["/d?http_port=x", "dsn has a parameter http_port that is not a port"],
    ["/d?http_port=0", "dsn has a parameter http_port that is not a port"],
    ["/d?http_port=65536", "dsn has a parameter http_port that is not a port"],
    ["/d?http_port=1&http_port=2", "dsn has a parameter http_port that is not a port"],
    ["/d?secure=yes", "dsn has a parameter secure that is neither true nor false"],
    [":9440/d?secure=0", "dsn has secure=false and the port 9440, which is always encrypted"],
    [
      "/d?dial_timeout=10s",
      "dsn has the parameter dial_timeout; it is an option of native connections, which are not used here",
    ],
    [
      "/d?username=u",
      "dsn has the parameter username; credentials and database go into http://user:password@host:8123/database",
    ],
    [":9000,h2:9000/d", NOT_ABSOLUTE],
    ["%zz/d", "dsn has a host that is not valid in an http(s) URL"],
    ["/d/e", "dsn has more than a database in its path"],
  ])("the clickhouse driver refuses clickhouse://u:p@h%s", (rest, message) => {
    const context = new FakeServer().context();
    const error = configErrorOf((given) => clickhouseDriver.open(given, context), {
      dsn: `clickhouse://u:p@h${rest}`,
    });
    expect(error).toMatchObject({ field: "dsn", message });
  });

  test("the clickhouse driver goes to public hosts only, by whichever scheme", () => {
    const context = new FakeServer().context({ policy: { allowPrivateHosts: false } });
    const open = (host: string) =>
      configErrorOf((config) => clickhouseDriver.open(config, context), {
        dsn: `clickhouse://${host}`,
      });
    expect(open("127.1")?.message).toBe("dsn names 127.0.0.1, which is not a public host");
    expect(open("0x7f000001:9000")?.message).toContain("127.0.0.1");
    expect(open("ch.example.com")).toBeUndefined();
  });

  test("the clickhouse driver inserts nothing if the table can't be made", async () => {
    const server = new FakeServer();
    server.respond = () => new Response("Code: 516. Authentication failed", { status: 403 });
    const destination = clickhouseDriver.open({ dsn }, server.context());
    expect(await destination.send("main", [item(1)])).toBe(
      "the answer is 403: Code: 516. Authentication failed",
    );
    expect(server.calls).toHaveLength(1);
  });

  test("the clickhouse driver shows no password that a server repeats", async () => {
    const server = new FakeServer();
    for (const status of [400, 200]) {
      server.respond = ({ headers }) =>
        new Response(`Code: 1. ${"x".repeat(270)} ${headers.get("x-clickhouse-key")} ${dsn}`, {
          status,
        });
      const problem = await clickhouseDriver.open({ dsn }, server.context()).send("l", [item(1)]);
      expect(problem).toMatch(/x \*\*\* http:\/\/us/);
      expect(problem).not.toContain("p:ss");
      expect(problem).not.toContain("p%3A");
    }
    server.respond = ({ headers }) => {
      throw new Error(`no header ${headers.get("x-clickhouse-key")}`);
    };
    expect(await clickhouseDriver.open({ dsn }, server.context()).send("l", [item(1)])).toBe(
      "no answer: no header ***",
    );
  });

  test("the clickhouse driver recognizes an exception in an answer with a successful status", async () => {
    const server = new FakeServer();
    server.respond = () =>
      new Response(null, { headers: { "x-clickhouse-exception-code": "241" } });
    const destination = clickhouseDriver.open({ dsn }, server.context());
    expect(await destination.send("main", [item(1)])).toBe("the answer is 200 with an exception");
    server.respond = () => new Response("Code: 241. Memory limit exceeded");
    expect(await destination.send("main", [item(1)])).toBe(
      "the answer is 200 with Code: 241. Memory limit exceeded",
    );
  });

  test("the clickhouse driver sends no headers for credentials that a DSN lacks", async () => {
    const server = new FakeServer();
    await clickhouseDriver
      .open({ dsn: "https://ch.example.com" }, server.context())
      .send("l", [item(1)]);
    expect(server.calls[0]?.headers.has("x-clickhouse-user")).toBe(false);
    expect(server.calls[0]?.headers.has("x-clickhouse-key")).toBe(false);
    expect(server.calls[0]?.url.searchParams.has("database")).toBe(false);
  });

  test.each([
    [{}, "dsn is required"],
    [{ dsn: "nonsense" }, NOT_ABSOLUTE],
    // The URL parser accepts the following DSNs, in which the password would not be masked.
    [{ dsn: "http:/u:p@h/d" }, NOT_ABSOLUTE],
    [{ dsn: "http:u:p@h/d" }, NOT_ABSOLUTE],
    [{ dsn: " http://u:p@h/d" }, NOT_ABSOLUTE],
    [{ dsn: "ht\ntp://u:p@h/d" }, NOT_ABSOLUTE],
    [{ dsn: "http:\\\\u:p@h/d" }, NOT_ABSOLUTE],
    [{ dsn: "http://u:p@h\\x@y" }, NOT_ABSOLUTE],
    [{ dsn: "http://h/a/b" }, "dsn has more than a database in its path"],
    [
      { dsn: "http://h/d?password=x" },
      "dsn has the parameter password; credentials and database go into http://user:password@host:8123/database",
    ],
    [{ dsn: "http://h/d?query=x" }, "dsn has the parameter query; the exporter sets it itself"],
    [
      { dsn: "http://h/d?secure=1" },
      "dsn has the parameter secure; only a clickhouse:// DSN takes it",
    ],
    [
      { dsn: "tcp://h:9000/d" },
      "dsn names the native protocol; give the HTTP interface, such as http://user:password@host:8123/database, or a clickhouse:// DSN",
    ],
    [{ dsn: "http://u:%ff@h/d" }, "dsn has a broken percent encoding"],
    [{ dsn: "http://u:%0a@h/d" }, "dsn has credentials that do not fit into a header"],
  ])("the clickhouse driver refuses %j", (config, message) => {
    const context = new FakeServer().context();
    expect(configErrorOf((given) => clickhouseDriver.open(given, context), config)).toMatchObject({
      field: "dsn",
      message,
    });
  });
});
