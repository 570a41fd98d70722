import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { AttemptLimits } from "#modules/auth/limits/attempt-limits.ts";
import { ATTEMPT_RULES } from "#modules/auth/limits/attempt-rules.ts";
import { DEVICE_MS, verifyDeviceCookie, signDevice } from "#modules/auth/people/device.ts";
import {
  authorizeUrl,
  freshApp,
  freshPerson,
  logIn,
  openLogin,
  PASSWORD,
  type TestApp,
  type TestPerson,
} from "#test/support/auth/logins.ts";
import { PageVisitor } from "#test/support/auth/pages.ts";
import { isolate } from "#test/support/runner/isolate.ts";

const LOGIN = "/api/auth/login";
const WRONG = "wrong horse battery";

let app: TestApp;

beforeAll(async () => {
  app = await freshApp();
});

/** A browser in which a person has logged in and out again. */
async function deviceOf(person: TestPerson): Promise<PageVisitor> {
  const visitor = new PageVisitor();
  await logIn(visitor, authorizeUrl(app), person);
  visitor.cookies.delete("florin-session");
  expect(visitor.cookies.get("florin-device")).toBeDefined();
  return visitor;
}

async function attempts(
  visitor: PageVisitor,
  email: string,
  passwords: readonly string[],
): Promise<Response[]> {
  const form = await openLogin(visitor, authorizeUrl(app));
  return Promise.all(
    passwords.map((password) => visitor.post(LOGIN, { ...form, email, password })),
  );
}
const statusOf = async (visitor: PageVisitor, email: string, password: string) =>
  (await attempts(visitor, email, [password]))[0]?.status;

/** Uses up the failed logins that strangers at any address may make for a person. */
async function lockStrangersOut({ email: person }: TestPerson): Promise<void> {
  const limits = new AttemptLimits(env, { person });
  for (let count = 0; count < ATTEMPT_RULES.person.failuresMax; count++) await limits.take();
}

describe("a browser in which a person has logged in before", () => {
  test("a browser of an earlier login logs the person in, whatever strangers have tried", async () => {
    const ada = await freshPerson();
    const device = await deviceOf(ada);
    await lockStrangersOut(ada);
    expect(await statusOf(new PageVisitor(), ada.email, ada.password)).toBe(429);
    expect(await statusOf(device, ada.email, ada.password)).toBe(200);
  });

  test("a browser of an earlier login may be wrong ten times in a minute, whatever is asked at once", async () => {
    const ada = await freshPerson();
    const [device, other] = [await deviceOf(ada), await deviceOf(ada)];
    const { failuresMax } = ATTEMPT_RULES.device;
    const wrong = Array<string>(failuresMax + 3).fill(WRONG);
    const answers = await attempts(device, ada.email, wrong);
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([...Array<number>(failuresMax).fill(401), 429, 429, 429]);
    expect(await statusOf(device, ada.email, ada.password)).toBe(429);
    // Wrong passwords in this browser lock no other browser out.
    expect(await statusOf(other, ada.email, ada.password)).toBe(200);
    expect(await statusOf(new PageVisitor(), ada.email, ada.password)).toBe(200);
  });

  test("a browser of an earlier login is known by a cookie that scripts and forms of other sites don't get, for 90 days", async () => {
    const visitor = new PageVisitor();
    const ada = await freshPerson();
    const [answer] = await attempts(visitor, ada.email, [ada.password]);
    const cookies = answer?.headers.getSetCookie() ?? [];
    expect(cookies.find((cookie) => cookie.startsWith("florin-device="))).toMatch(
      /^florin-device=[\w-]{43}\.\d+\.[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
  });

  test("a browser of an earlier login is none of another person", async () => {
    const [ada, eve] = [await freshPerson(), await freshPerson()];
    const device = await deviceOf(eve);
    await lockStrangersOut(ada);
    expect(await statusOf(device, ada.email, ada.password)).toBe(429);
  });

  test("a browser of an earlier login is forgotten with the password, but for the browser in which it was changed", async () => {
    const ada = await freshPerson();
    const [device, changer] = [await deviceOf(ada), new PageVisitor()];
    await logIn(changer, authorizeUrl(app), ada);
    const before = changer.cookies.get("florin-device");
    const fields = { old: PASSWORD, new: "another horse battery" };
    expect((await changer.post("/api/auth/password", fields)).status).toBe(200);
    expect(changer.cookies.get("florin-device")).not.toBe(before);
    changer.cookies.delete("florin-session");
    await lockStrangersOut(ada);
    expect(await statusOf(device, ada.email, fields.new)).toBe(429);
    expect(await statusOf(changer, ada.email, fields.new)).toBe(200);
  });

  test("a browser of an earlier login changes the password, whatever strangers have tried", async () => {
    const ada = await freshPerson();
    const visitor = new PageVisitor();
    await logIn(visitor, authorizeUrl(app), ada);
    await lockStrangersOut(ada);
    const fields = { old: PASSWORD, new: "another horse battery" };
    expect((await visitor.post("/api/auth/password", fields)).status).toBe(200);
  });
});

describe("the cookie of a device", () => {
  const nowMs = Date.parse("2026-11-24T00:00:00Z");
  const owner = { id: "ada", password: "scrypt$2$8$3$salt$key" };
  const cookie = signDevice(env, owner, nowMs);
  const known = (changes: object = {}, text: string | undefined = cookie) =>
    verifyDeviceCookie(env, text, { owner, nowMs, ...changes }) !== undefined;

  test("the cookie of a device is good until it ends", () => {
    expect(known()).toBe(true);
    expect(known({ nowMs: nowMs + DEVICE_MS - 1 })).toBe(true);
    expect(known({ nowMs: nowMs + DEVICE_MS })).toBe(false);
  });

  test.each([
    ["of another person", { owner: { ...owner, id: "eve" } }],
    ["of another password", { owner: { ...owner, password: "scrypt$2$8$3$salt$other" } }],
    ["of nobody", { owner: undefined }],
    ["from the future", { nowMs: nowMs - 1000 }],
  ])("the cookie of a device is none %s", (_, changes) => {
    expect(known(changes)).toBe(false);
  });

  test("the cookie of a device is none that was changed", () => {
    const [device = "", end = "", signature = ""] = cookie.split(".");
    for (const text of [
      "",
      "..",
      `${device}.${end}`,
      `${device}.${Number(end) - 1}.${signature}`,
      `${device.slice(1)}_.${end}.${signature}`,
      `${device}.${end}.${"A".repeat(43)}`,
      `${device}.${end}.${signature}.`,
    ])
      expect(known({}, text)).toBe(false);
  });

  test("the cookie of a device is good with a previous secret key, and not with one that is gone", () => {
    const key = (byte: number) => Buffer.alloc(32, byte).toString("base64");
    const old = Object.assign({ ...env }, { FLORIN_SECRET_KEY: key(1) });
    const both = { FLORIN_SECRET_KEY: key(2), FLORIN_PREVIOUS_SECRET_KEYS: key(1) };
    const text = signDevice(old, owner, nowMs);
    const isKnownTo = (settings: object) =>
      verifyDeviceCookie(Object.assign({ ...env }, settings), text, { owner, nowMs }) !== undefined;
    expect(isKnownTo(both)).toBe(true);
    expect(isKnownTo({ FLORIN_SECRET_KEY: key(2) })).toBe(false);
  });
});

describe("the login page while too many passwords were tried", () => {
  test("the login page while too many passwords were tried says for how long, and goes on to offer the passkey", async () => {
    const ada = await freshPerson();
    await lockStrangersOut(ada);
    const visitor = new PageVisitor();
    const [answer] = await attempts(visitor, ada.email, [ada.password]);
    expect(answer?.status).toBe(429);
    expect(answer?.headers.get("retry-after")).toMatch(/^\d+$/);
    const page = (await answer?.text()) ?? "";
    expect(page).toMatch(/Try again in \d+ seconds, or log in with a passkey now\./);
    expect(page).toMatch(/<button type="button" id="passkey" data-request="[^"]+"/);
    expect(page).toContain("/passkeys.js");
  });

  test("the login page while too many passwords were tried reads nothing from the database", async () => {
    const ada = await freshPerson();
    await lockStrangersOut(ada);
    const fail = () => {
      throw new Error("the database is read");
    };
    const visitor = new PageVisitor(isolate({ DB: { prepare: fail, batch: fail } as never }));
    const answer = await visitor.post(LOGIN, {
      request: "unknown",
      email: ada.email,
      password: WRONG,
    });
    expect(answer.status).toBe(429);
  });

  test("the login page while too many passwords were tried counts an unknown person's failures as those of a known one", async () => {
    const email = `${(await freshPerson()).email}.nobody`;
    const wrong = Array<string>(12).fill(WRONG);
    const answers = await attempts(new PageVisitor(), email, wrong);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2);
  });
});
