import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { systemContext } from "#platform/context.ts";
import { secretsSection, sweepSecretKeys } from "#platform/status/secret-keys.ts";
import { fromMillis } from "#platform/time.ts";

const DAY = 86_400_000;
const KEY = Buffer.alloc(32, 7).toString("base64");

const withKey = (key: string): Env => Object.assign({ ...env }, { FLORIN_SECRET_KEY: key });

/** A deployment `ms` milliseconds from now, with a key that encrypts. */
const later = (ms: number, key?: string) => ({
  ...systemContext(key === undefined ? env : withKey(key), "test"),
  clock: () => fromMillis(Date.now() + ms),
});

/** The age of the key that encrypts, in whole days; undefined while it is not known. */
async function ageOf(context: ReturnType<typeof later>): Promise<number | undefined> {
  const { samples } = await secretsSection.read(context);
  const age = samples.find(({ family }) => family.name === "florin_secret_key_age_seconds")?.value;
  return age === undefined ? undefined : Math.round((age * 1000) / DAY);
}

const rows = async () =>
  (await env.DB.prepare("SELECT id FROM secret_keys").all<{ id: string }>()).results;

beforeEach(async () => {
  await env.DB.exec("DELETE FROM secret_keys");
});

test("the age of the key that encrypts counts from when a sweep has seen it first", async () => {
  expect(await ageOf(later(0))).toBeUndefined();
  const nextMs = await sweepSecretKeys(later(0));
  expect(nextMs).toBeGreaterThan(Date.now() + 3_000_000);
  await Promise.all([sweepSecretKeys(later(2 * DAY)), sweepSecretKeys(later(3 * DAY))]);
  expect(await ageOf(later(5 * DAY))).toBe(5);
  expect(await rows()).toHaveLength(1);
});

test("a new key has an age of its own, and a key that comes back its old one", async () => {
  await sweepSecretKeys(later(0));
  await sweepSecretKeys(later(4 * DAY, KEY));
  expect(await ageOf(later(5 * DAY, KEY))).toBe(1);
  expect(await ageOf(later(5 * DAY))).toBe(5);
  const text = JSON.stringify(await rows());
  expect(text).not.toContain(KEY);
  expect(await rows()).toHaveLength(2);
});

test("a clock that steps back makes no negative age", async () => {
  await sweepSecretKeys(later(0));
  expect(await ageOf(later(-DAY))).toBe(0);
});
