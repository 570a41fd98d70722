import {
  type DeviceCodes,
  type OAuthServer,
  RefusedError,
  SilentError,
  type TokenSet,
} from "./oauth.ts";
import { OperatorError } from "#scripts/lib/project.ts";

/** The clock of a login, and what it shows the person. */
export interface LoginSurroundings {
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
  /** Shows the page on which the person allows the login, and the code to compare. */
  readonly show: (codes: DeviceCodes) => void;
}

/** How much longer the device waits between two polls after `slow_down` (RFC 8628 §3.5), in seconds. */
const SLOW_DOWN_SECONDS = 5;

/**
 * Logs a person in by the device authorization grant (RFC 8628): shows a page and a code, and asks until the person has allowed or refused it,
 * or the code has ended. A server that does not answer is asked half as often each time. Throws `OperatorError`.
 */
export async function logInByDevice(
  server: Pick<OAuthServer, "beginDevice" | "redeemDevice">,
  scopes: readonly string[],
  { nowMs, sleep, show }: LoginSurroundings,
): Promise<TokenSet> {
  const codes = await server.beginDevice(scopes);
  show(codes);
  const endMs = nowMs() + codes.expires_in * 1000;
  let seconds = codes.interval;
  for (;;) {
    await sleep(seconds * 1000);
    if (nowMs() >= endMs) throw expired();
    try {
      return await server.redeemDevice(codes.device_code);
    } catch (error) {
      seconds = nextInterval(error, seconds);
    }
  }
}

/** The seconds until the next poll. Throws the error if it ends the login. */
function nextInterval(error: unknown, seconds: number): number {
  if (error instanceof SilentError) return seconds * 2;
  if (!(error instanceof RefusedError)) throw error;
  switch (error.code) {
    case "authorization_pending":
      return seconds;
    case "slow_down":
      return seconds + SLOW_DOWN_SECONDS;
    case "access_denied":
      throw new OperatorError("The person has refused the login.");
    case "expired_token":
      throw expired();
    default:
      throw error;
  }
}

const expired = (): OperatorError =>
  new OperatorError("The code has ended before somebody allowed the login. Log in again.");
