import { describe, expect, test } from "vitest";
import { parseConfig } from "#modules/payments/connectors/config.ts";
import { dummypayKind } from "#modules/payments/connectors/dummypay/index.ts";
import { genericKind } from "#modules/payments/connectors/generic/index.ts";
import { formatDurationMs, parseDurationMs } from "#platform/duration.ts";

const LIMITS = { standardMs: 1_800_000, leastMs: 1_200_000 };
const GENERIC = { name: "my psp", apiKey: "k", endpoint: "https://psp.example" };

const generic = (body: unknown) => parseConfig(genericKind.fields, body, LIMITS);
const dummypay = (body: unknown) => parseConfig(dummypayKind.fields, body, LIMITS);

describe("a configuration", () => {
  test("a configuration of a connector has its fields under their canonical names, in any case of letters, and no others", () => {
    const body = { NAME: "my psp", APIKEY: "k", Endpoint: "e", provider: "Generic", pageSize: 5 };
    expect(generic(body)).toEqual({
      name: "my psp",
      pollingPeriodMs: 1_800_000,
      values: { apiKey: "k", endpoint: "e" },
    });
    expect(generic({ ...GENERIC, apikey: "other" }).values).toMatchObject({ apiKey: "k" });
  });

  test("a configuration of a connector has the empty value of an absent optional field", () => {
    const { values } = dummypay({ name: "dummy", directory: "/tmp/x" });
    expect(values).toEqual({
      directory: "/tmp/x",
      linkFlowError: false,
      updateLinkFlowError: false,
    });
  });

  test("a configuration of a connector is refused with the names of all missing required fields", () => {
    const expected = ["Name", "APIKey", "Endpoint"].map(
      (label) =>
        `Key: 'Config.${label}' Error:Field validation for '${label}' failed on the 'required' tag`,
    );
    expect(() => generic({ endpoint: "" })).toThrow(`invalid config: ${expected.join("\n")}`);
  });

  test.each([
    [{ ...GENERIC, name: "ab" }, "'Name' failed on the 'min' tag"],
    [{ ...GENERIC, name: "a".repeat(501) }, "'Name' failed on the 'max' tag"],
    [{ ...GENERIC, apiKey: 5 }, "'apiKey' is not a text"],
    [[], "expected a JSON object"],
    [null, "expected a JSON object"],
    [{ ...GENERIC, pollingPeriod: 5 }, "expected a duration"],
    [{ ...GENERIC, pollingPeriod: "30" }, "expected a duration"],
    [
      { ...GENERIC, pollingPeriod: "19m59s" },
      "polling period invalid: polling period cannot be lower than minimum of 20m0s",
    ],
    [{ ...GENERIC, pollingPeriod: "9000h" }, "polling period cannot be longer than 8760h0m0s"],
  ])("the configuration %j of a connector is refused", (body, message) => {
    expect(() => generic(body)).toThrow(message);
  });

  test.each(["", "0", "0s", "-5m", undefined, null])(
    "a configuration of a connector with the period %j has the default",
    (text) => {
      expect(generic({ ...GENERIC, pollingPeriod: text }).pollingPeriodMs).toBe(1_800_000);
    },
  );

  test.each(["https://psp.example/files", "/tmp/some-folder", "demo", "a b/"])(
    "a configuration of dummypay takes the directory %j",
    (directory) => {
      expect(dummypay({ name: "dummy", directory }).values).toMatchObject({ directory });
    },
  );

  test.each(["^&()sodj", "$#2djskajdj", "   ", "http://"])(
    "a configuration of dummypay refuses the directory %j",
    (directory) => {
      expect(() => dummypay({ name: "dummy", directory })).toThrow(
        "Key: 'Config.Directory' Error:Field validation for 'Directory' failed on the 'dirpath' tag",
      );
    },
  );
});

test.each([
  ["30m", "30m0s"],
  ["1h30m", "1h30m0s"],
  ["90s", "1m30s"],
  ["1500ms", "1.5s"],
  ["500ms", "500ms"],
  ["2us", "2µs"],
  ["0", "0s"],
])("the duration %s is written %s", (text, normal) => {
  expect(formatDurationMs(parseDurationMs(text) ?? -1)).toBe(normal);
});
