import { expect, test } from "vitest";
import {
  type ConfigChange,
  CONFIGS_MAX,
  ConfigStore,
} from "#modules/webhooks/configs/config-store.ts";
import { LaneSpecs } from "#modules/webhooks/configs/lane-specs.ts";
import { present } from "#platform/assert.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import { systemContext } from "#platform/context.ts";
import { newId } from "#platform/ids.ts";
import { SecretBox } from "#platform/secrets/secrets.ts";
import { at } from "#test/support/ledger-engine/fixtures.ts";
import { NodeD1 } from "#test/support/platform/node-d1.ts";

const NOW = at("12:00");
const FIELDS = {
  endpoint: "https://hooks.example.com/in",
  secret: "V0bivxRWveaoz08afqjU6Ko/jwO0Cb+3",
  eventTypes: ["a.b", "c.d"],
  name: undefined,
};

/** A store with `count` configs. */
function storeOf(count: number) {
  const d1 = new NodeD1();
  d1.migrate();
  d1.rows(
    `INSERT INTO webhook_configs (id, endpoint, secret, event_types, name, active, created_at, updated_at)
      SELECT 'config ' || value, '', '', '[]', '', 1, ?1, ?1 FROM json_each(?2)`,
    NOW,
    JSON.stringify(Array.from({ length: count }, (_, index) => index)),
  );
  const env = {
    DB: d1.binding,
    CLOCK: { getByName: () => ({ arm: async () => undefined, watch: async () => undefined }) },
    EVENTS: { sendBatch: async () => undefined },
  } as unknown as Env; // a change calls nothing else of it
  const key = Buffer.alloc(32).toString("base64");
  const box = new SecretBox({ FLORIN_SECRET_KEY: key, FLORIN_PREVIOUS_SECRET_KEYS: [] });
  const store = new ConfigStore(d1.db, box);
  const change = (): ConfigChange => ({
    now: NOW,
    change: new AuditedChange(systemContext(env, "test"), {
      action: "webhooks.config.create",
      object: "configs/x",
    }),
  });
  const countOf = (table: string) => d1.rows(`SELECT 1 FROM ${table}`).length;
  return { store, change, countOf, db: d1.db, context: systemContext(env, "test") };
}

test("a config is stored with everything that it has", async () => {
  const { store, change, db } = storeOf(0);
  const id = newId();
  const config = await store.insert(id, FIELDS, change());
  expect(config).toEqual({ ...FIELDS, id, name: "", active: true, createdAt: NOW, updatedAt: NOW });
  expect(await store.find(id)).toEqual(config);
  expect(await new LaneSpecs(db).find(id)).toEqual({
    configId: id,
    revision: 1,
    endpoint: FIELDS.endpoint,
    active: true,
    endedRevision: 0,
    hasFailed: false,
    isDeleted: false,
  });
});

test("configs are never more than their limit, whoever creates them at the same time", async () => {
  const { store, change, countOf } = storeOf(CONFIGS_MAX - 2);
  const made = await Promise.all(
    [1, 2, 3, 4, 5].map(() => store.insert(newId(), FIELDS, change())),
  );
  expect(made.filter((config) => config !== undefined)).toHaveLength(2);
  expect(countOf("webhook_configs")).toBe(CONFIGS_MAX);
  expect(countOf("audit")).toBe(2);
});

test("a failing config is deactivated although its secret cannot be decrypted", async () => {
  const { store, countOf, context, db } = storeOf(1);
  const specs = new LaneSpecs(db);
  await expect(store.find("config 0")).rejects.toThrow("is not a ciphertext");
  const spec = present(await specs.find("config 0"), "the config is there");
  await store.deactivateFailing(spec, context);
  expect(await specs.find("config 0")).toMatchObject({ active: false, hasFailed: true });
  expect(countOf("outbox")).toBe(1);
});
