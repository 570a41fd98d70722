import { describe, expect, test } from "vitest";
import {
  restoreMaskedSecrets,
  maskSecrets,
  parseSetup,
} from "#modules/exporters/store/exporter-config.ts";
import { AppError } from "#platform/errors.ts";
import { FakeServer } from "#test/support/exporters/destinations.ts";

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
  test("a description of an exporter is refused in the words of Formance Ledger, with the field", () => {
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

  test.each(["stdout", "", "__proto__", "constructor"])(
    "a description of an exporter knows no driver %j",
    (driver) => {
      expect(refusal(() => parseSetup({ driver, config: {} }, context))?.details).toBe("driver");
    },
  );
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
  ])("a secret of the DSN %s is shown as %s", (dsn, shown) => {
    expect(maskSecrets(clickhouse(dsn))).toEqual({ dsn: shown });
  });

  test("a secret of elasticsearch is shown as a mask, and all else as it was sent", () => {
    expect(maskSecrets(elasticsearch("http://h", "p"))).toEqual({
      endpoint: "http://h",
      authentication: { username: "u", password: "***" },
    });
    const open = { driver: "elasticsearch", config: { endpoint: "http://h", index: "i" } };
    expect(maskSecrets(open)).toEqual(open.config);
  });

  test.each([
    ["http://h/?token=x", "http://h/?token=***"],
    ["http://h/in?a=1&api_key=x&b=2#c?token=d", "http://h/in?a=1&api_key=***&b=2#c?token=d"],
    ["http://h/in?X-API-Key=a=b&sig=c", "http://h/in?X-API-Key=***&sig=***"],
    [
      "http://h/?access%5Ftoken=x&Authorization=Bearer%20y",
      "http://h/?access%5Ftoken=***&Authorization=***",
    ],
    ["http://h/?token=x&token=y", "http://h/?token=***&token=***"],
    ["http://h/?password=%zz", "http://h/?password=***"],
    ["http://u:p@h/?passwd=q", "http://u:***@h/?passwd=***"],
    ["http://h/?token&token=&pipeline=logs", "http://h/?token&token=&pipeline=logs"],
    ["http://h/token=x", "http://h/token=x"],
  ])("a secret of the URL %s is shown as %s", (url, shown) => {
    expect(maskSecrets({ driver: "http", config: { url } })).toEqual({ url: shown });
    const config = { endpoint: url, authentication: { username: "u", password: "p" } };
    expect(maskSecrets({ driver: "elasticsearch", config })).toEqual({
      endpoint: shown,
      authentication: { username: "u", password: "***" },
    });
    expect(maskSecrets(clickhouse(url))).toEqual({ dsn: shown });
  });

  test("a secret in a parameter is kept by the name of the parameter", () => {
    const http = (url: string) => ({ driver: "http", config: { url } });
    const stored = http("https://h/in?token=a%20b&key=c&token=d");
    const keep = (url: string) => restoreMaskedSecrets(http(url), stored).config["url"];
    expect(keep("https://h/in?token=***&key=***&token=***")).toBe(stored.config.url);
    expect(keep("https://h/new?v=2&token=%2A%2A%2A&key=new")).toBe(
      "https://h/new?v=2&token=a%20b&key=new",
    );
    expect(keep("https://h/in")).toBe("https://h/in");
    for (const url of ["http://h/in?key=***", "https://h2/in?key=***", "https://h/in?sig=***"]) {
      expect(refusal(() => keep(url))).toMatchObject({
        kind: "VALIDATION",
        details: "config.url",
      });
    }
    expect(refusal(() => keep("https://h2/in?key=***"))?.message).toContain(
      "url?key has the mask '***', but the config names another server: send the secret again",
    );
  });

  test("an exporter's secret is kept if its mask is sent back for the same server", () => {
    expect(
      restoreMaskedSecrets(
        clickhouse("http://v:***@h:8123/e"),
        clickhouse("http://u:p%40@h:8123/d"),
      ),
    ).toEqual(clickhouse("http://v:p%40@h:8123/e"));
    expect(
      restoreMaskedSecrets(elasticsearch("http://h/x", "***"), elasticsearch("http://h/y", "p")),
    ).toEqual(elasticsearch("http://h/x", "p"));
  });

  test("a secret of a clickhouse:// DSN is kept for the HTTP interface of its server", () => {
    const stored = clickhouse("clickhouse://u:p@h:9000/d");
    expect(maskSecrets(stored)).toEqual({ dsn: "clickhouse://u:***@h:9000/d" });
    expect(restoreMaskedSecrets(clickhouse("http://u:***@h:8123/e"), stored)).toEqual(
      clickhouse("http://u:p@h:8123/e"),
    );
    for (const dsn of ["clickhouse://u:***@h:9440/d", "clickhouse://u:***@h2:9000/d"]) {
      expect(refusal(() => restoreMaskedSecrets(clickhouse(dsn), stored))?.kind).toBe("VALIDATION");
    }
  });

  test("an exporter's secret is replaced by another one, and removed if none is sent", () => {
    const stored = clickhouse("http://u:p@h/d");
    for (const next of [clickhouse("http://u:q@h/d"), clickhouse("http://u@h/d")]) {
      expect(restoreMaskedSecrets(next, stored)).toEqual(next);
    }
  });

  test.each([
    ["nothing is stored", undefined],
    ["the stored exporter has none", clickhouse("http://u@h/d")],
    ["the stored exporter is of another driver", elasticsearch("http://h", "p")],
    ["the server is another one", clickhouse("http://u:p@other/d")],
    ["the port is another one", clickhouse("http://u:p@h:81/d")],
    ["it would leave an encrypted connection", clickhouse("https://u:p@h/d")],
  ])("an exporter's secret is not kept where %s", (_why, stored) => {
    const error = refusal(() => restoreMaskedSecrets(clickhouse("http://u:***@h/d"), stored));
    expect(error).toMatchObject({ kind: "VALIDATION", details: "config.dsn" });
  });
});
