import { env } from "cloudflare:workers";
import { decodeJwt, type JWTPayload } from "jose";
import type { TestPerson } from "./logins.ts";
import { logIn } from "./logins.ts";
import { hiddenField, PageVisitor } from "./pages.ts";
import { ask, type Form, post, type TokenAnswer } from "./token-requests.ts";
import { hashToken } from "#modules/auth/grants/opaque-token.ts";
import { BASE_URL, send } from "#test/support/platform/api.ts";

export const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
export const BEARER_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";
export const STACK = "stack://florin/main|stack:Read stack:Write";

/** The answer of the device authorization endpoint. */
export interface DeviceAnswer {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

/** Asks for a device login as `fctl` does: Basic with an empty password. */
export async function beginDevice(form: Form): Promise<DeviceAnswer> {
  const response = await post("/device_authorization", form, {
    authorization: `Basic ${btoa("fctl:")}`,
  });
  if (response.status !== 200) throw new Error(await response.text());
  return response.json<DeviceAnswer>();
}

/** Polls as `fctl` does: the resource of a stack is in the query, and parameters without a value are sent. */
export async function poll(
  deviceCode: string,
  resource = "",
): Promise<TokenAnswer & { readonly status: number }> {
  const query = resource === "" ? "" : `?${new URLSearchParams({ resource }).toString()}`;
  const response = await post(`/oauth/token${query}`, {
    grant_type: DEVICE_GRANT,
    device_code: deviceCode,
    client_id: "fctl",
    client_secret: "",
    resource: "",
  });
  return { status: response.status, ...(await response.json<TokenAnswer>()) };
}

/** Lets the interval between two polls of a device pass. */
export async function passInterval(deviceCode: string): Promise<void> {
  await env.DB.prepare("UPDATE auth_device_codes SET next_poll_ms = 0 WHERE hash = ?")
    .bind(hashToken(deviceCode))
    .run();
}

/** Opens the page of a device code, and logs the person in if nobody is logged in there. Returns the page. */
export async function openDevicePage(
  visitor: PageVisitor,
  device: DeviceAnswer,
  person: TestPerson,
): Promise<Response> {
  const url = `${device.verification_uri}?user_code=${device.user_code}`;
  const answer = await visitor.get(url);
  if (answer.status === 200) return answer;
  return visitor.get((await logIn(visitor, url, person)).href);
}

/** Answers a device on its page, as a browser does. */
export async function answerDevice(
  visitor: PageVisitor,
  { device, person, answer = "allow" }: DeviceChoice,
): Promise<Response> {
  const page = await openDevicePage(visitor, device, person);
  const userCode = hiddenField(await page.text(), "user_code");
  return visitor.post("/api/auth/device", { user_code: userCode, answer });
}

export interface DeviceChoice {
  readonly device: DeviceAnswer;
  readonly person: TestPerson;
  readonly answer?: string;
}

/** The tokens of a device login that the person has allowed. */
export type MembershipTokens = TokenAnswer & {
  readonly refresh_token: string;
  readonly id_token: string;
};

/** Logs a person in at `fctl`, for the root, the organisation or the stack. */
export async function loginFctl(
  person: TestPerson,
  { form = {}, resource = "" }: { readonly form?: Form; readonly resource?: string } = {},
): Promise<MembershipTokens> {
  const device = await beginDevice({
    scope: "openid offline_access accesses on_behalf",
    ...form,
    ...(resource === "" ? {} : { organization_id: "florin", resource }),
  });
  await answerDevice(new PageVisitor(), { device, person });
  const tokens = await poll(device.device_code, resource);
  const { refresh_token: refreshToken, id_token: idToken } = tokens;
  if (refreshToken === undefined || idToken === undefined) throw new Error(JSON.stringify(tokens));
  return { ...tokens, refresh_token: refreshToken, id_token: idToken };
}

/** Exchanges a stack token, without a client. */
export const exchange = (assertion: string) =>
  ask({ grant_type: BEARER_GRANT, assertion, scope: "openid email" });

/** Calls a path of the membership service. */
export const membership = (path: string, bearer: string): Promise<Response> =>
  send(path, { headers: { authorization: `Bearer ${bearer}`, accept: "application/json" } });

export const claimsOf = (token: string): JWTPayload & Record<string, unknown> => decodeJwt(token);

export const MEMBERSHIP_ISSUER = BASE_URL;
