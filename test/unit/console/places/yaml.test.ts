import { expect, test } from "vitest";
import { parse } from "yaml";
import { toYaml } from "#console/parts/base/yaml.ts";

test("a definition as YAML is read as what it was", () => {
  const value = {
    name: "settle: order #1",
    stages: [
      {
        send: {
          source: { account: { id: "orders:${order}", ledger: "main" } },
          list: [[1, "-"], []],
        },
      },
      { wait_event: { event: "no" } },
      { noop: {} },
      { update: { account: { metadata: { " odd key\n": "\u202e'\"\\", empty: "" } } } },
    ],
    amount: 90071992547409930n,
    isOn: true,
    nothing: null,
  };
  expect(parse(toYaml(value), { intAsBigInt: true })).toEqual({
    ...value,
    stages: [
      {
        send: {
          source: { account: { id: "orders:${order}", ledger: "main" } },
          list: [[1n, "-"], []],
        },
      },
      ...value.stages.slice(1),
    ],
  });
});

test("texts that need no quotes have none", () => {
  expect(toYaml({ name: "pay-seller", stages: [{ delay: { duration: "24h" } }] })).toBe(
    'name: pay-seller\nstages:\n  - delay:\n      duration: "24h"\n',
  );
});
