import { describe, expect, test } from "vitest";
import { keepSecret, maskSecret, parseSetup } from "#modules/exporters/exporter-config.ts";
import { AppError } from "#platform/errors.ts";
import { FakeServer } from "#test/support/destinations.ts";

const context = new FakeServer().context();

function refusal(work: () => unknown) {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError)
      return { kind: error.kind, message: error.message, details: error.details };
    throw error;
  }
  return undefined;
}

const clickhouse = (dsn: string) => ({ driver: "clickhouse", config: { dsn } });
const elasticsearch = (endpoint: string, password: string) => ({
  driver: "elasticsearch",
  config: { endpoint, authentication: { username: "u", password } },
});

describe("a description of an exporter", () => {
  test("is refused in the words of Formance Ledger, with the field", () => {
    expect(refusal(() => parseSetup({ driver: "nope", config: {} }, context))).toEqual({
      kind: "VALIDATION",
      message:
        "driver 'nope' invalid: validating config for exporter 'nope': driver 'nope' not found",
      details: "driver",
    });
    expect(refusal(() => parseSetup({ driver: "http", config: undefined }, context))).toEqual({
      kind: "VALIDATION",
      message:
        "driver 'http' invalid: exporter 'http' has malformed configuration: unexpected end of JSON input",
      details: "config",
    });
    expect(refusal(() => parseSetup({ driver: "http", config: {} }, context))).toEqual({
      kind: "VALIDATION",
      message: "driver 'http' invalid: exporter 'http' has invalid configuration: empty url",
      details: "config.url",
    });
    const long = { note: "x".repeat(20_000) };
    expect(refusal(() => parseSetup({ driver: "noop", config: long }, context))).toMatchObject({
      kind: "VALIDATION",
      details: "config",
    });
    expect(refusal(() => parseSetup({ driver: "http", config: [] }, context))?.details).toBe(
      "config",
    );
  });

  test.each(["stdout", "", "__proto__", "constructor"])("knows no driver %j", (driver) => {
    expect(refusal(() => parseSetup({ driver, config: {} }, context))?.details).toBe("driver");
  });
});

describe("a secret", () => {
  test.each([
    ["http://u:p@h:8123/d?x=1#@y", "http://u:***@h:8123/d?x=1#@y"],
    ["http://u:a@b:c@h/d", "http://u:***@h/d"],
    ["http://:p@h", "http://:***@h"],
    ["http://u@x:p@h/d", "http://u@x:***@h/d"],
    ["http://u@h:8123/d", "http://u@h:8123/d"],
    ["http://h/d?a=u:p@x", "http://h/d?a=u:p@x"],
    ["http://u@h/d", "http://u@h/d"],
    ["http://u:@h/d", "http://u:@h/d"],
  ])("of the DSN %s is shown as %s", (dsn, shown) => {
    expect(maskSecret(clickhouse(dsn))).toEqual({ dsn: shown });
  });

  test("of elasticsearch is shown as a mask, and all else as it was sent", () => {
    expect(maskSecret(elasticsearch("http://h", "p"))).toEqual({
      endpoint: "http://h",
      authentication: { username: "u", password: "***" },
    });
    const open = { driver: "elasticsearch", config: { endpoint: "http://h", index: "i" } };
    expect(maskSecret(open)).toBe(open.config);
    const http = { driver: "http", config: { url: "http://h/?token=x" } };
    expect(maskSecret(http)).toBe(http.config);
  });

  test("is kept where its mask comes back for the same server", () => {
    expect(
      keepSecret(clickhouse("http://v:***@h:8123/e"), clickhouse("http://u:p%40@h:8123/d")),
    ).toEqual(clickhouse("http://v:p%40@h:8123/e"));
    expect(
      keepSecret(elasticsearch("http://h/x", "***"), elasticsearch("http://h/y", "p")),
    ).toEqual(elasticsearch("http://h/x", "p"));
  });

  test("is replaced by another one, and left out where none is sent", () => {
    const stored = clickhouse("http://u:p@h/d");
    for (const next of [clickhouse("http://u:q@h/d"), clickhouse("http://u@h/d")]) {
      expect(keepSecret(next, stored)).toEqual(next);
    }
  });

  test.each([
    ["nothing is stored", undefined],
    ["the stored exporter has none", clickhouse("http://u@h/d")],
    ["the stored exporter is of another driver", elasticsearch("http://h", "p")],
    ["the server is another one", clickhouse("http://u:p@other/d")],
    ["the port is another one", clickhouse("http://u:p@h:81/d")],
    ["it would leave an encrypted connection", clickhouse("https://u:p@h/d")],
  ])("is not kept where %s", (_why, stored) => {
    const fault = refusal(() => keepSecret(clickhouse("http://u:***@h/d"), stored));
    expect(fault).toMatchObject({ kind: "VALIDATION", details: "config.dsn" });
  });
});
