import { systemClock } from "./clock.ts";
import { newId } from "./ids.ts";
import type { Clock } from "./time.ts";

/** Who acts: what the token of a request says. */
export interface Principal {
  /** Who issued the token; `florin` for work that the deployment does by itself. */
  readonly issuer: string;
  /** Who acts: a user, or the client where it acts by itself. */
  readonly subject: string;
  /** The program that acts. */
  readonly clientId: string;
  readonly scopes: ReadonlySet<string>;
  /** Patterns of the only ledgers that may be touched (`access/ledger-patterns.ts`); empty for all. */
  readonly ledgers: readonly string[];
  /** Whether the subject is a person of this server; absent for programs, and for people of other issuers. */
  readonly isPerson?: true;
  /** The token of this server that says so; undefined for tokens of others, and for what needs none. */
  readonly token?: TokenFacts;
}

/** What is known of a token of this server besides who acts. */
export interface TokenFacts {
  /** Its `jti`. */
  readonly id?: string | undefined;
  /** In seconds since the epoch. */
  readonly issuedAt: number;
  /** What a person has allowed the client; undefined where no person has logged in for it. */
  readonly grantId?: string | undefined;
}

/** What every use case gets besides its input. */
export interface ServiceContext {
  readonly env: Env;
  readonly principal: Principal;
  /** Names the request, or the run of a job, in logs and in the audit. */
  readonly requestId: string;
  readonly clock: Clock;
  /**
   * How many triggers, one after the other, led to this work; absent for none. Whatever the work writes carries it on to the events
   * that tell of it, so that triggers which start each other are noticed.
   */
  readonly causationDepth?: number;
}

/** A request that needs no token. */
export const ANONYMOUS: Principal = {
  issuer: "",
  subject: "anonymous",
  clientId: "",
  scopes: new Set(),
  ledgers: [],
};

/** What queues, sweeps and objects do without a request. `job` names it: `sweep:buckets`. */
export const systemContext = (env: Env, job: string): ServiceContext => ({
  env,
  principal: { issuer: "florin", subject: job, clientId: "florin", scopes: new Set(), ledgers: [] },
  requestId: newId(),
  clock: systemClock,
});
