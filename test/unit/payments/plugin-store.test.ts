import { expect, test } from "vitest";
import { pluginStore } from "#modules/payments/installs/plugin-store.ts";
import { IngestWorld } from "#test/support/payments/worlds/ingest-world.ts";
import { TEST_SETTINGS } from "#test/support/platform/settings.ts";

test("values that a plugin stores are encrypted, and belong to its installation", async () => {
  const { d1, connector } = new IngestWorld();
  const env = { ...TEST_SETTINGS, DB: d1.binding } as unknown as Env; // the store uses only these members
  const store = pluginStore(env, connector.key);
  const [one, two] = [
    { name: "number/a", value: "FR7630006000011234567890189" },
    { name: "number/b", value: "second" },
  ];
  expect(await store.insert(one, two)).toBe(true);
  expect(await store.insert({ ...one, value: "other" })).toBe(false);
  expect(await store.find("number/a")).toBe(one.value);
  expect(await store.list("number/")).toEqual([one, two]);
  expect(JSON.stringify(d1.rows("SELECT * FROM payment_plugin_texts"))).not.toContain("FR76");
  expect(await pluginStore(env, connector.key + 1).find("number/a")).toBeUndefined();
  await store.removeByPrefix("number/a");
  expect(await store.list("")).toEqual([two]);
});
