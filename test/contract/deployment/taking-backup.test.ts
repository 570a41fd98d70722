import { env } from "cloudflare:workers";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { SigningKeys } from "#modules/auth/keys/signing-keys.ts";
import { AuthStore } from "#modules/auth/registry/store.ts";
import { restorationSection } from "#modules/deployment/restoration/status.ts";
import { systemContext } from "#platform/context.ts";
import { SecretBox } from "#platform/secrets/secrets.ts";
import { isGivenBack, isPutOff } from "#platform/upgrade/put-off.ts";
import {
  RESTORATIONS,
  serveAgain,
  takeBackup,
  underWay,
  workForTheNextFile,
} from "#test/support/deployment/restoring.ts";
import { refusalOf } from "#test/support/ledger/api.ts";
import { api, bodyOf, send, token } from "#test/support/platform/api.ts";
import { TEST_SETTINGS } from "#test/support/platform/settings.ts";
import { isolate } from "#test/support/runner/isolate.ts";

/** The environment with a value that the setting does not take. */
const WRONG = Object.assign({}, env, { FLORIN_RESTORE: "1" });

/** The token of an operator, which was given before anything was written. */
let operator = "";

beforeEach(async () => {
  await workForTheNextFile();
  operator = await token("florin:operate");
  takeBackup();
});
afterAll(workForTheNextFile);

describe("a deployment that is served to take a backup", () => {
  test("it refuses requests, gives messages back and puts alarms off; its state is told", async () => {
    const held = await api("/api/ledger/v2", { token: operator });
    expect(held.headers.get("retry-after")).toBe("30");
    const { status, message } = await refusalOf(held);
    expect(status).toBe(503);
    expect(message).toContain("served with FLORIN_RESTORE, to take a backup");
    expect((await send("/api/auth/clients")).status).toBe(503);
    expect((await send("/organizations")).status).toBe(503);
    const served = ["/versions", "/api/florin/v1/status", "/api/ledger/_info", "/openapi.json"];
    for (const path of served) expect((await send(path)).status).toBe(200);
    const delays: unknown[] = [];
    const letter = { retry: (options: unknown) => void delays.push(options) };
    const batch = { messages: [letter] } as unknown as MessageBatch;
    expect(await isGivenBack(batch, env)).toBe(true);
    expect(delays).toEqual([{ delaySeconds: 60 }]);
    const setAlarm = vi.fn<() => Promise<void>>(async () => undefined);
    expect(await isPutOff({ setAlarm }, env)).toBe(true);
    expect(await isPutOff({ setAlarm }, WRONG)).toBe(true);
    expect(setAlarm).toHaveBeenCalledTimes(2);
    serveAgain();
    expect(await isPutOff({ setAlarm }, env)).toBe(false);
    expect(await isPutOff({ setAlarm }, WRONG)).toBe(true);
  });

  test("its log says once in a while that work waits", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const error = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const setAlarm = async () => undefined;
    // Each environment has a pause of its own.
    const own = Object.assign({}, env);
    for (let time = 0; time < 3; time++) expect(await isPutOff({ setAlarm }, own)).toBe(true);
    expect(warn.mock.calls).toEqual([[expect.stringContaining("FLORIN_RESTORE is set")]]);
    serveAgain();
    const wrong = Object.assign({}, WRONG);
    for (let time = 0; time < 3; time++) expect(await isPutOff({ setAlarm }, wrong)).toBe(true);
    expect(error.mock.calls).toEqual([[expect.stringContaining("the settings are wrong")]]);
    warn.mockRestore();
    error.mockRestore();
  });

  test("its status says that it does nothing else, and what comes next", async () => {
    const context = systemContext(env, "test");
    const problem = async () => (await restorationSection.read(context)).problems[0]?.whatToDo;
    expect(await problem()).toContain("restore one with npm run florin -- backup restore, or take");
    await underWay();
    expect(await problem()).toContain("goes on with one that broke off");
    await env.DB.prepare("UPDATE restoration SET stage = 'ended'").run();
    expect(await problem()).toContain("take the setting away");
    serveAgain();
    expect(await problem()).toBeUndefined();
  });

  test("it gives clients tokens until something is written, and nobody any after that", async () => {
    const ask = (fields: Readonly<Record<string, string>>): Promise<Response> =>
      send("/api/auth/oauth/token", { method: "POST", body: new URLSearchParams(fields) });
    const client = {
      client_id: TEST_SETTINGS.FLORIN_CLIENT_ID,
      client_secret: TEST_SETTINGS.FLORIN_CLIENT_SECRET,
    };
    const asClient = { grant_type: "client_credentials", ...client, scope: "florin:operate" };
    await underWay({ isWritten: false });
    expect((await ask(asClient)).status).toBe(200);
    const refresh = { grant_type: "refresh_token", refresh_token: "x", ...client };
    expect(await bodyOf(await ask(refresh))).toEqual({
      error: "server_error",
      error_description: expect.stringContaining("only clients get tokens") as string,
    });
    await underWay();
    expect(await bodyOf(await ask(asClient))).toEqual({
      error: "server_error",
      error_description: expect.stringContaining("replaces clients and keys") as string,
    });
    await env.DB.prepare("UPDATE restoration SET stage = 'ended'").run();
    expect(await bodyOf(await ask(asClient))).toEqual({
      error: "server_error",
      error_description: expect.stringContaining("take FLORIN_RESTORE away") as string,
    });
  });
});

test("clients get tokens although the deployment was served before with another secret key", async () => {
  const FLORIN_SECRET_KEY = Buffer.alloc(32, 7).toString("base64");
  const before = new SecretBox({ FLORIN_SECRET_KEY, FLORIN_PREVIOUS_SECRET_KEYS: [] });
  const kid = "of another secret key";
  await env.DB.prepare(
    `INSERT INTO auth_signing_keys (sequence, kid, public_key, private_key, created_ms)
     SELECT max(sequence) + 1, ?, public_key, ?, created_ms FROM auth_signing_keys`,
  )
    .bind(kid, before.seal("private", `auth signing key ${kid}`))
    .run();
  const keys = () => new SigningKeys(env, { store: new AuthStore(env), box: SecretBox.from(env) });
  const [first, second] = [await keys().current(), await keys().current()];
  expect(first.kid).not.toBe(kid);
  expect(second.kid).toBe(first.kid);
  await env.DB.prepare("DELETE FROM auth_signing_keys WHERE kid = ?").bind(first.kid).run();
  serveAgain();
  await expect(keys().current()).rejects.toThrow("neither in FLORIN_SECRET_KEY nor");
  await env.DB.prepare("DELETE FROM auth_signing_keys WHERE kid = ?").bind(kid).run();
});

describe("a deployment that is not served to take a backup", () => {
  test("it begins no restoration, and takes no part of one", async () => {
    const restoration = await underWay();
    serveAgain();
    for (const answer of [
      api(RESTORATIONS, { body: {}, token: operator }),
      restoration.call(""),
      restoration.call("/tables/webhook_owed", { body: {} }),
      api(RESTORATIONS, { token: restoration.token }),
    ]) {
      const refused = await refusalOf(answer);
      expect(refused).toMatchObject({ status: 409 });
      expect(refused.message).toContain("set FLORIN_RESTORE=true");
    }
  });

  test("it refuses everything where a restoration has not ended, and works where one has", async () => {
    await underWay();
    serveAgain();
    const refused = await refusalOf(isolate()("/api/ledger/_info"));
    expect(refused).toMatchObject({ status: 503 });
    expect(refused.message).toContain("2026-03-01T09:30:00.000Z is not restored to its end");
    await env.DB.prepare("UPDATE restoration SET stage = 'abandoned'").run();
    const abandoned = await refusalOf(isolate()("/api/ledger/_info"));
    expect(abandoned.message).toContain("Make the deployment anew");
    expect((await isolate()("/organizations")).status).toBe(503);
    await env.DB.prepare("UPDATE restoration SET stage = 'ended'").run();
    expect((await isolate()("/api/ledger/_info")).status).toBe(200);
  });
});
