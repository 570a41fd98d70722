import * as oauth from "oauth4webapi";
import type { TokenSource } from "./client.ts";
import { ApiError } from "./errors.ts";
import { type Grant, Issuer, type PendingSignIn, type PersonClaims } from "./issuer.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

/** Who uses the page. */
export type SessionState =
  /** A person, with tokens. */
  | { readonly kind: "person"; readonly grant: Grant }
  /** Nobody has to sign in, because the deployment runs without authentication. */
  | { readonly kind: "open" }
  | { readonly kind: "nobody" };

/** Time before a token's end from which it is renewed, in milliseconds. */
const RENEW_BEFORE_MS = 45_000;
/** What a sign-in that leaves the page needs when it comes back: neither a token nor a code. */
const PENDING_KEY = "florin-sign-in";
/** A read that every deployment has. It answers without a token only where authentication is off. */
const PROBE = "/api/ledger/v2?pageSize=1";

/**
 * The sign-in of the page. Tokens live in memory only: a new page signs in silently by the session cookie of the OAuth server, and so does a
 * page whose token is about to end.
 *
 *     page ── fetch /api/auth/authorize?prompt=none ──► redirect to /console/callback?code=… ── POST token ──► tokens
 *                                                └────► redirect with error=login_required ──► page "Sign in"
 */
export class Session implements TokenSource {
  #state: SessionState = { kind: "nobody" };
  #issuer: Promise<Issuer> | undefined;
  #renewal: Promise<SessionState> | undefined;
  readonly #listeners = new Set<() => void>();

  get state(): SessionState {
    return this.#state;
  }

  /** Calls a listener after each change of the state. Returns the function that ends this. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Signs in silently. Calls at the same time share one sign-in. Throws when the server cannot be reached. */
  signInSilently(): Promise<SessionState> {
    this.#renewal ??= this.#signIn().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  /** Leaves the page for the sign-in page of the OAuth server, which leads back to `returnTo`, a path of the console. */
  async signIn(returnTo: string): Promise<void> {
    const issuer = await this.#discover();
    const { url, pending } = await issuer.authorizationUrl();
    sessionStorage.setItem(PENDING_KEY, stringifyJson({ ...pending, returnTo } satisfies Stored));
    location.assign(url);
  }

  /** Completes the sign-in that `signIn` has begun, at the URL of the callback. Returns the path to go to. */
  async completeSignIn(callback: URL): Promise<string> {
    const stored = takeStored();
    if (stored === undefined) return HOME;
    const issuer = await this.#discover();
    this.#change({ kind: "person", grant: await issuer.redeem(callback, stored) });
    return stored.returnTo;
  }

  /** Begins a session of the browser with the secret of a link, and signs in. Throws `ApiError` for a spent secret. */
  async signInWithLink(secret: string): Promise<SessionState> {
    const response = await fetch("/api/auth/sign-in", {
      method: "POST",
      headers: { "content-type": "application/json" },
      credentials: "same-origin",
      body: stringifyJson({ secret }),
    });
    if (!response.ok) throw await ApiError.from(response);
    return this.signInSilently();
  }

  /** Ends the session of the browser. */
  async signOut(): Promise<void> {
    const state = this.#state;
    if (state.kind !== "person") return;
    const issuer = await this.#discover();
    location.assign(issuer.endSessionUrl(state.grant));
  }

  /** Reads who is signed in; undefined if nobody is. No page waits for it, because what it shows follows from the token. */
  async readPerson(): Promise<PersonClaims | undefined> {
    const accessToken = await this.token();
    const state = this.#state;
    if (state.kind !== "person" || accessToken === undefined) return undefined;
    const issuer = await this.#discover();
    return issuer.readPerson({ accessToken, subject: state.grant.subject });
  }

  readonly token = async (): Promise<string | undefined> => {
    let state = this.#state;
    if (state.kind === "person" && state.grant.expiresMs - RENEW_BEFORE_MS < Date.now()) {
      state = await this.signInSilently();
    }
    return state.kind === "person" ? state.grant.accessToken : undefined;
  };

  readonly renew = async (refused: string): Promise<string | undefined> => {
    const { state } = this;
    if (state.kind === "person" && state.grant.accessToken !== refused)
      return state.grant.accessToken;
    const renewed = await this.signInSilently();
    return renewed.kind === "person" ? renewed.grant.accessToken : undefined;
  };

  async #signIn(): Promise<SessionState> {
    const issuer = await this.#discover();
    const { url, pending } = await issuer.authorizationUrl("none");
    const answer = await fetch(url, { redirect: "follow", credentials: "same-origin" });
    await answer.body?.cancel(); // The URL says all, and a body that nobody reads keeps the connection.
    const grant = await issuer.redeem(new URL(answer.url), pending).catch(refused);
    if (grant !== undefined) return this.#change({ kind: "person", grant });
    const probe = await fetch(PROBE, { credentials: "omit" });
    await probe.body?.cancel();
    return this.#change({ kind: probe.ok ? "open" : "nobody" });
  }

  /** Takes a new state. The page begins anew for another person, whose session another tab has begun: it shows what the first one may read. */
  #change(state: SessionState): SessionState {
    const before = this.#state;
    this.#state = state;
    if (before.kind === "person" && state.kind === "person") {
      if (before.grant.subject !== state.grant.subject) location.reload();
    }
    for (const listener of this.#listeners) listener();
    return state;
  }

  #discover(): Promise<Issuer> {
    this.#issuer ??= Issuer.discover(location.origin).catch((error: unknown) => {
      this.#issuer = undefined;
      throw error;
    });
    return this.#issuer;
  }
}

/** Lets an answer without a code pass, such as `login_required`: it is no failure of the sign-in. */
function refused(error: unknown): undefined {
  if (error instanceof oauth.AuthorizationResponseError) return;
  if (error instanceof oauth.OperationProcessingError) return;
  throw error;
}

interface Stored extends PendingSignIn {
  readonly returnTo: string;
}

const HOME = "/";

function takeStored(): Stored | undefined {
  const text = sessionStorage.getItem(PENDING_KEY);
  sessionStorage.removeItem(PENDING_KEY);
  return text === null ? undefined : (parseJson(text) as Stored); // `signIn` has stored it.
}
