import type { OpenAPIHono } from "@hono/zod-openapi";
import { html } from "hono/html";
import { sendToLogin } from "./begin-login.ts";
import { readCookie } from "./browser.ts";
import {
  answerForm,
  codeForm,
  type DeviceQuestion,
  expectedElsewhere,
  loginAgain,
  MANAGING_SCOPE,
} from "./device-forms.ts";
import { FRESH_MS_MAX, isFresh } from "./fresh-login.ts";
import { layout } from "./layout.ts";
import { PageError } from "./page-error.ts";
import { type PageAnswer, type PageRequest, registerPage } from "./register.ts";
import { grantableScopes } from "#modules/auth/core/authorize-request.ts";
import { ledgersOf } from "#modules/auth/core/client-ledgers.ts";
import { allowsDeviceLogin } from "#modules/auth/core/device-clients.ts";
import type { EndUser } from "#modules/auth/core/end-user.ts";
import type { DeviceLogin } from "#modules/auth/core/login-request.ts";
import { membershipScopes } from "#modules/auth/core/membership.ts";
import { splitScopes } from "#modules/auth/core/scopes.ts";
import { parseUserCode } from "#modules/auth/core/user-code.ts";
import { OFFLINE_SCOPE } from "#modules/auth/grants/authorization-codes.ts";
import { type DeviceCodeRow, DeviceCodeStore } from "#modules/auth/grants/device-code-store.ts";
import { AttemptLimits } from "#modules/auth/limits/attempt-limits.ts";
import { type BrowserSession, findSession, sessionExists } from "#modules/auth/people/sessions.ts";
import { findClient } from "#modules/auth/registry/find-client.ts";
import { authSettings } from "#modules/auth/settings.ts";
import { commonPatterns } from "#platform/access/ledger-patterns.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { addressOf } from "#platform/http/sender/address.ts";
import { toMillis } from "#platform/time.ts";

const PATH = "/device";

/** The URL of the page on which a person answers a device; a user code needs no encoding. */
export const devicePageUrl = (issuer: string, userCode = ""): string =>
  `${issuer}${PATH}${userCode === "" ? "" : `?user_code=${userCode}`}`;

/**
 * Registers the page on which a person answers a device (RFC 8628 §3.3).
 *
 *     GET  /device?user_code=… ─► log in, if nobody is ─► who asks, from where, for what ─► "Allow" or "Refuse"
 *     POST /device  answer=…   ─► the answer is stored once
 *
 * A code alone does nothing: a person who is logged in has to press a button of this very page, after a look at the code that the device
 * shows. User codes are short, so only people who are logged in may try some, and few a minute. A device that would manage clients and people
 * needs a person who has just logged in.
 */
export function registerDevice(app: OpenAPIHono<AppEnv>): void {
  registerPage(app, { method: "GET", path: PATH }, ask);
  registerPage(app, { method: "POST", path: PATH }, answer);
}

async function ask(page: PageRequest): Promise<PageAnswer> {
  const { issuer, params } = page;
  const typed = params.get("user_code") ?? "";
  const session = await sessionOf(page);
  if (session === undefined) return toLogin(page, typed);
  if (typed === "") return { kind: "page", page: codeForm({ issuer }) };
  const question = await findQuestion(page, session.person, typed);
  if (question === undefined || question.code.state !== "pending") return unknownCode(page);
  if (isForOther(question.code, session.person)) {
    return { kind: "page", status: 403, page: expectedElsewhere(question) };
  }
  if (needsLogin(question, session)) {
    return { kind: "page", status: 401, page: loginAgain(question) };
  }
  return { kind: "page", page: answerForm(question) };
}

async function answer(page: PageRequest): Promise<PageAnswer> {
  const { context, params } = page;
  const typed = params.get("user_code") ?? "";
  const session = await sessionOf(page);
  const wish = params.get("answer") ?? "";
  if (session === undefined) return toLogin(page, typed);
  if (wish === "switch") return toLogin(page, typed, { prompts: ["select_account"] });
  if (wish === "again") {
    return toLogin(page, typed, {
      prompts: ["login"],
      maxAgeSeconds: FRESH_MS_MAX / 1000,
      loginHint: session.person.email,
    });
  }
  if (wish !== "allow" && wish !== "refuse") throw new PageError(400, "The form has no answer.");
  const question = await findQuestion(page, session.person, typed);
  if (question === undefined) return unknownCode(page);
  const { code } = question;
  if (isForOther(code, session.person)) {
    return { kind: "page", status: 403, page: expectedElsewhere(question) };
  }
  if (code.state !== "pending") return { kind: "page", page: FINAL[code.state] };
  if (wish === "allow" && needsLogin(question, session)) {
    return { kind: "page", status: 401, page: loginAgain(question) };
  }
  const nowMs = toMillis(context.clock());
  const store = new DeviceCodeStore(context);
  const isStored =
    wish === "refuse"
      ? await store.deny(code.hash, session.person.id, nowMs)
      : await store.approve(code.hash, toApproval(question, session), {
          nowMs,
          condition: sessionExists(cookieOf(page)),
        });
  if (isStored) return { kind: "page", page: FINAL[wish === "allow" ? "approved" : "denied"] };
  // The same person may have pressed twice.
  const now = await store.findLive(code.userCode, nowMs);
  if (now === undefined || now.state === "pending" || now.subject !== session.person.id) {
    return unknownCode(page);
  }
  return { kind: "page", page: FINAL[now.state] };
}

/** The pages that show a person's answer, also to somebody who has pressed a button twice. */
const FINAL = {
  approved: layout({
    title: "The device is logged in",
    body: html`<p>Go back to the device. You may close this page.</p>`,
  }),
  denied: layout({
    title: "The device is refused",
    body: html`<p>The device gets no access. You may close this page.</p>`,
  }),
};

const toApproval = ({ person, scopes }: DeviceQuestion, { authenticatedAt }: BrowserSession) => ({
  subject: person.id,
  scopes: scopes.join(" "),
  authTime: Math.floor(toMillis(authenticatedAt) / 1000),
});

const cookieOf = ({ c, issuer }: PageRequest): string =>
  readCookie(c, "florin-session", issuer) ?? "";

const sessionOf = (page: PageRequest): Promise<BrowserSession | undefined> =>
  findSession(page.context, cookieOf(page));

/** Lets somebody log in, again or as somebody else, who comes back with the code. A text that is no code is left behind. */
const toLogin = (
  page: PageRequest,
  typed: string,
  hints: Partial<Omit<DeviceLogin, "userCode">> = {},
): Promise<PageAnswer> =>
  sendToLogin(page, { prompts: [], ...hints, userCode: parseUserCode(typed) ?? "" });

const needsLogin = ({ scopes, nowMs }: DeviceQuestion, session: BrowserSession): boolean =>
  scopes.includes(MANAGING_SCOPE) && !isFresh(session, nowMs);

/** What a device asks of a person, or what the same person has answered. Each code that does not exist counts against the person and the address, before it is looked up. */
async function findQuestion(
  { c, context, issuer }: PageRequest,
  person: EndUser,
  typed: string,
): Promise<DeviceQuestion | undefined> {
  const userCode = parseUserCode(typed);
  if (userCode === undefined) return undefined;
  const limits = new AttemptLimits(context.env, {
    userCodePerson: person.id,
    userCodeAddress: addressOf(c.req.raw, context.env),
  });
  await limits.take();
  const nowMs = toMillis(context.clock());
  const code = await new DeviceCodeStore(context).findLive(userCode, nowMs);
  if (code === undefined) return undefined;
  if (code.state !== "pending" && code.subject !== person.id) return undefined;
  await limits.giveBack();
  const client = await findClient(context.env, code.clientId, issuer);
  if (client === undefined || !allowsDeviceLogin(client.metadata)) return undefined;
  const scopes = scopesFor(code, person);
  const ledgers = commonPatterns(ledgersOf(client.metadata), person.ledgers);
  const staysMs = scopes.includes(OFFLINE_SCOPE)
    ? authSettings.of(context.env).FLORIN_REFRESH_TOKEN_LIFETIME
    : undefined;
  return { issuer, code, client, person, scopes, ledgers, staysMs, nowMs };
}

/** The scopes that the device would get. */
function scopesFor({ membership, scopes }: DeviceCodeRow, person: EndUser): readonly string[] {
  const requested = [...splitScopes(scopes)];
  return membership === null
    ? grantableScopes(requested, person.scopes)
    : membershipScopes(membership, requested, person.scopes);
}

const isForOther = ({ hintedSubject }: DeviceCodeRow, { id }: EndUser): boolean =>
  hintedSubject !== null && hintedSubject !== id;

function unknownCode({ issuer }: PageRequest): PageAnswer {
  const problem = "The code is wrong, was used or has expired. Ask the device for another one.";
  return { kind: "page", status: 404, page: codeForm({ issuer, problem }) };
}
