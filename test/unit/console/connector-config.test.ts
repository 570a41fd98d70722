import { describe, expect, test } from "vitest";
import {
  fieldsIn,
  labelOf,
  toConfig,
  toFormValues,
  withoutSecrets,
} from "#console/places/payments/connectors/config-values.ts";

const FIELDS = fieldsIn({
  apiKey: { dataType: "string", required: true, defaultValue: "", secret: true },
  isSandbox: { dataType: "boolean", required: false, defaultValue: "" },
  maxConnections: { dataType: "unsigned integer", required: true, defaultValue: "" },
  pollingPeriod: { dataType: "duration ns", required: false, defaultValue: "30m0s" },
  name: { dataType: "string", required: true, defaultValue: "" },
});

describe("the form of a configuration", () => {
  test("the name comes first, what is required follows, the polling period comes last", () => {
    expect(FIELDS.map(({ name }) => name)).toEqual([
      "name",
      "apiKey",
      "maxConnections",
      "isSandbox",
      "pollingPeriod",
    ]);
  });

  test("empty inputs are left out, and numbers are numbers", () => {
    const values = { name: " Bank ", apiKey: "k", maxConnections: "3", pollingPeriod: "" };
    expect(toConfig(FIELDS, values)).toEqual({ name: "Bank", apiKey: "k", maxConnections: 3 });
  });

  test("a secret that stays empty is the former one, and no form or draft has it", () => {
    const former = { name: "Bank", apiKey: "former", isSandbox: true, maxConnections: 3 };
    const values = toFormValues(FIELDS, former);
    expect(values).toEqual({ name: "Bank", isSandbox: true, maxConnections: "3" });
    expect(toConfig(FIELDS, values, former)).toEqual(former);
    expect(withoutSecrets(FIELDS, { ...values, apiKey: "new" })).toEqual(values);
  });

  test.each([
    ["apiKey", "API key"],
    ["clientID", "Client ID"],
    ["baseUrl", "Base URL"],
    ["userCertificateKey", "User certificate key"],
  ])("%s is %s", (name, label) => {
    expect(labelOf(name)).toBe(label);
  });
});
