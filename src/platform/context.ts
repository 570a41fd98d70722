import { systemClock } from "./clock.ts";
import { newId } from "./ids.ts";
import type { Clock } from "./time.ts";

/** The actor of a request, from its token. */
export interface Principal {
  /** The issuer of the token; `florin` for work that the deployment does by itself. */
  readonly issuer: string;
  /** The actor: a user, or the client where it acts by itself. */
  readonly subject: string;
  /** The program that acts. */
  readonly clientId: string;
  readonly scopes: ReadonlySet<string>;
  /** Patterns of the only ledgers that may be touched (`access/ledger-patterns.ts`); empty for all. */
  readonly ledgers: readonly string[];
  /** Whether the subject is a person of this server; absent for programs, and for people of other issuers. */
  readonly isPerson?: true;
  /** Facts of a token of this server; undefined for tokens of other issuers, and for requests without a token. */
  readonly token?: TokenFacts;
}

/** Facts of a token of this server besides its actor. */
export interface TokenFacts {
  /** The claim `jti`. */
  readonly id?: string | undefined;
  /** The claim `iat`, in seconds since the epoch. */
  readonly issuedAt: number;
  /** The id of a person's consent to the client; undefined where no person has logged in for the client. */
  readonly grantId?: string | undefined;
}

/** Reads a path of Florin's own API inside of the process, in the name of a principal, with the principal's scopes. */
export type ReadOwnApi = (path: string, principal: Principal) => Promise<Response>;

/** The context that every use case gets besides its input. */
export interface ServiceContext {
  readonly env: Env;
  readonly principal: Principal;
  /** Names the request, or the run of a job, in logs and in the audit. */
  readonly requestId: string;
  readonly clock: Clock;
  /**
   * The length of the chain of triggers that led to this work; absent for none. Events that the work publishes carry the number on, so that
   * triggers which start each other are noticed.
   */
  readonly causationDepth?: number;
  /** Reads Florin's own API; absent in contexts that were made in an object of a module. */
  readonly readOwnApi?: ReadOwnApi;
}

/** The principal of a request that needs no token. */
export const ANONYMOUS: Principal = {
  issuer: "",
  subject: "anonymous",
  clientId: "",
  scopes: new Set(),
  ledgers: [],
};

/** The context of work without a request, in queues, sweeps and objects. `job` names the work: `sweep:buckets`. */
export const systemContext = (env: Env, job: string): ServiceContext => ({
  env,
  principal: { issuer: "florin", subject: job, clientId: "florin", scopes: new Set(), ledgers: [] },
  requestId: newId(),
  clock: systemClock,
});
