import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { ClientProcess } from "../client.ts";
import type { Report } from "../report.ts";
import { READ, type World } from "../world.ts";
import { percentiles } from "#bench/load/percentiles.ts";
import { openLogin, Visitor } from "#test/support/auth/visitor.ts";

const DURATION_MS = 15_000;
const LOGINS_PER_SECOND = 60;
const ADDRESSES = 20;
const READS_PER_SECOND = 50;
/** Time from the start of the wrong logins to the person's login, in milliseconds. */
const LOGIN_AFTER_MS = 4000;
const LOGIN_MS_MAX = 5000;
const LOGIN_PAUSE_MS = 250;

const REDIRECT_URI = "https://app.example.com/callback";
const PASSWORD = "correct horse battery staple";

const Invitation = z.object({ data: z.object({ url: z.string() }) });

/** A person, and the client in which the person logs in. */
interface Person {
  readonly email: string;
  readonly loginPath: string;
}

/** Strangers guess the password of one person from many addresses, while another client reads and the person logs in. */
export async function abuseLogins(world: World): Promise<Report> {
  const { url } = world.checkout.address;
  const person = await invitePerson(world);
  const known = visitor(url);
  await logIn(known, person); // The login makes the browser a known one.
  const stranger = visitor(url);
  const form = { ...(await openLogin(stranger, person.loginPath)), email: person.email };
  const body = `${new URLSearchParams(form).toString()}&password=wrong-password-{n}`;
  const [abusers, reader] = [new ClientProcess(), new ClientProcess()];
  try {
    const abuse = abusers.run({
      origin: url,
      durationMs: DURATION_MS,
      streams: [
        {
          name: "wrong logins",
          pace: { kind: "rate", perSecond: LOGINS_PER_SECOND },
          addresses: ADDRESSES,
          requests: [
            {
              method: "POST",
              path: "/api/auth/login",
              body,
              headers: {
                "content-type": "application/x-www-form-urlencoded",
                cookie: cookieOf(stranger),
                origin: url,
              },
            },
          ],
        },
      ],
    });
    const reading = reader.run({
      origin: url,
      durationMs: DURATION_MS,
      streams: [
        {
          name: "healthy reads",
          pace: { kind: "rate", perSecond: READS_PER_SECOND },
          requests: [READ],
          headers: world.healthy.headers,
        },
      ],
    });
    await delay(LOGIN_AFTER_MS);
    const loginMs = await timeOfLogin(known, person);
    const newDevice = await answerOfLogin(visitor(url), person);
    const [[wrong], [reads]] = await Promise.all([abuse, reading]);
    if (wrong === undefined || reads === undefined) throw new Error("each stream has a result");
    const scenario = "logins";
    return {
      figures: [
        {
          scenario,
          name: "p99 of a healthy read beside wrong logins",
          value: percentiles(reads.timesMs).p99Ms,
          unit: "ms",
          most: 100,
        },
        {
          scenario,
          name: "healthy reads that failed",
          value: READS_PER_SECOND * (DURATION_MS / 1000) - (reads.outcomes["200"] ?? 0),
          unit: "",
          most: 0,
        },
        {
          scenario,
          name: "right login in a known browser",
          value: loginMs,
          unit: "ms",
          most: LOGIN_MS_MAX,
        },
        {
          scenario,
          name: `login in a new browser: ${newDevice.status}; its page has the passkey`,
          value: newDevice.hasPasskey || newDevice.status === 200 ? 1 : 0,
          unit: "",
          least: 1,
        },
      ],
      streams: [wrong, reads],
    };
  } finally {
    await Promise.all([abusers.stop(), reader.stop()]);
  }
}

async function invitePerson({ admin, checkout }: World): Promise<Person> {
  const suffix = randomBytes(6).toString("hex");
  const email = `ada-${suffix}@example.com`;
  const invited = await admin.send(
    "POST",
    "/api/florin/v1/invitations",
    JSON.stringify({ email, scopes: ["ledger:read"] }),
  );
  const link = new URL(Invitation.parse(invited).data.url);
  const accepted = await visitor(checkout.address.url).post(link.pathname, {
    token: link.searchParams.get("token") ?? "",
    name: "Ada",
    password: PASSWORD,
  });
  if (!accepted.ok) throw new Error(`the invitation answers ${accepted.status}`);
  const id = `app-${suffix}`;
  await admin.send(
    "POST",
    "/api/auth/clients",
    JSON.stringify({ id, scopes: ["ledger:read"], redirectUris: [REDIRECT_URI] }),
  );
  const query = new URLSearchParams({
    client_id: id,
    redirect_uri: REDIRECT_URI,
    response_type: "code",
    scope: "openid",
    prompt: "login", // The login is required also in a browser with a session.
  });
  return { email, loginPath: `/api/auth/authorize?${query.toString()}` };
}

/** A browser of the started server. */
const visitor = (origin: string): Visitor =>
  new Visitor({ origin, fetch: (path, init) => fetch(origin + path, init) });

const cookieOf = ({ cookies }: Visitor): string =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");

async function answerOfLogin(
  browser: Visitor,
  person: Person,
): Promise<{ status: number; hasPasskey: boolean }> {
  const { request } = await openLogin(browser, person.loginPath);
  const { email } = person;
  const answer = await browser.post("/api/auth/login", { request, email, password: PASSWORD });
  return { status: answer.status, hasPasskey: (await answer.text()).includes('id="passkey"') };
}

async function logIn(browser: Visitor, person: Person): Promise<void> {
  const { status } = await answerOfLogin(browser, person);
  if (status !== 200) throw new Error(`the login answers ${status}`);
}

/** The time until the person is logged in, in milliseconds, with a new attempt after each refusal; Infinity after a minute. */
async function timeOfLogin(browser: Visitor, person: Person): Promise<number> {
  const startedMs = performance.now();
  while (performance.now() - startedMs < 60_000) {
    const { status } = await answerOfLogin(browser, person);
    if (status === 200) return performance.now() - startedMs;
    await delay(LOGIN_PAUSE_MS);
  }
  return Infinity;
}
