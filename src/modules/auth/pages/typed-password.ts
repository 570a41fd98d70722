import { readCookie, writeCookie } from "./browser.ts";
import type { PageRequest } from "./register.ts";
import { deriveFor } from "#modules/auth/hashing/password-hasher.ts";
import { AttemptLimits } from "#modules/auth/limits/attempt-limits.ts";
import {
  DEVICE_MS,
  verifyDeviceCookie,
  type PasswordOwner,
  signDevice,
} from "#modules/auth/people/device.ts";
import { matchesPassword, PASSWORD_LENGTH_MAX } from "#modules/auth/people/passwords.ts";
import { loginOf } from "#modules/auth/people/store.ts";
import { AppError } from "#platform/errors.ts";
import { addressOf } from "#platform/http/sender/address.ts";
import { toMillis } from "#platform/time.ts";

/** A password that was typed into one of our pages. */
export interface TypedPassword {
  readonly email: string;
  readonly password: string;
  /** The person with the e-mail address; undefined if nobody has it. */
  readonly owner: PasswordOwner | undefined;
}

/**
 * Whether a typed password is the owner's. An unknown address takes the same time and counts as the same failure as a wrong
 * password. The browser's device cookie decides which failures count together:
 *
 *     the owner has logged in with this browser before
 *        │ yes                          │ no
 *     failures of this browser       failures of this address for this person, of this address, and for this person from all
 *        │                              │    browsers like this one
 *        └── taken before the work ─────┴──► beyond a limit: RATE_LIMITED, without any work
 *                     │
 *              lane of the known, lane of strangers (`PasswordHashObject`)
 *                     │
 *              right: given back        wrong, or the client went away: stays counted
 *
 * So wrong passwords of strangers, however many and from wherever, never lock out a browser of the owner.
 */
export async function isPasswordOf(
  page: PageRequest,
  { email, password, owner }: TypedPassword,
): Promise<boolean> {
  if (password.length > PASSWORD_LENGTH_MAX) return false;
  const { c, context, issuer } = page;
  const { env, clock } = context;
  const cookie = readCookie(c, "florin-device", issuer);
  const device = verifyDeviceCookie(env, cookie, { owner, nowMs: toMillis(clock()) });
  const limits =
    device === undefined ? limitsOfStranger(page, email) : new AttemptLimits(env, { device });
  await limits.take();
  const caller =
    device === undefined
      ? { key: `address:${addressOf(c.req.raw, env)}`, isKnown: false }
      : { key: `device:${device}`, isKnown: true };
  try {
    const isRight = await matchesPassword(password, owner?.password, deriveFor(env, caller));
    if (isRight) await limits.giveBack();
    return isRight;
  } catch (error) {
    // The line was full, so the password was not checked.
    if (error instanceof AppError && error.kind === "RATE_LIMITED") await limits.giveBack();
    throw error;
  }
}

/**
 * Throws `RATE_LIMITED` if a browser without a device cookie may try no password of an e-mail address now. Called before the
 * database is read, so that a flood of wrong passwords costs no reads.
 */
export async function assertMayTry(page: PageRequest, email: string): Promise<void> {
  if (readCookie(page.c, "florin-device", page.issuer) !== undefined) return;
  await limitsOfStranger(page, email).assertOpen();
}

function limitsOfStranger({ c, context: { env } }: PageRequest, email: string): AttemptLimits {
  const address = addressOf(c.req.raw, env);
  const person = loginOf(email);
  return new AttemptLimits(env, {
    personAtAddress: `${address} ${person}`,
    loginAddress: address,
    person,
  });
}

/** Gives the browser, in which the person has just logged in, a device cookie. */
export function rememberDevice({ c, context, issuer }: PageRequest, owner: PasswordOwner): void {
  const value = signDevice(context.env, owner, toMillis(context.clock()));
  writeCookie(c, { name: "florin-device", value, issuer, maxAge: DEVICE_MS / 1000 });
}
