import type { Context } from "hono";
import type { Authenticator } from "./authenticator.ts";
import type { Ticket } from "#platform/admission/fair-gate.ts";
import type { ClientQuotas, QuotaUse } from "#platform/admission/quotas.ts";
import type { Principal, ReadOwnApi, ServiceContext } from "#platform/context.ts";
import type { AppError } from "#platform/errors.ts";
import type { PlatformSettings } from "#platform/platform-settings.ts";

/**
 * The types of a request's context in Hono. `c.get` reads one variable and `c.var` copies all variables on each access, so that code on the
 * path of every request, and the handlers of a ledger, use `get`. The variables are few, because each costs time in every request.
 */
export interface AppEnv {
  Bindings: Env;
  Variables: {
    request: RequestFacts;
    /** The context that the handler passes to use cases, set after the check of the token. */
    context: ServiceContext;
  };
}

/** Facts of a request that are known before its operation. */
export interface RequestFacts {
  /** The request's name in answers and logs. */
  readonly id: string;
  /** The request's URL, kept because the runtime makes the text anew on each read of `Request.url`. */
  readonly url: string;
  readonly deployment: Deployment;
  /** Whether the answer has the common headers already. */
  hasCommonHeaders: boolean;
  /** The operation that serves the request; undefined until one is found. */
  operation: RecordedOperation | undefined;
  /** The text of a short body; undefined for other bodies, and until it is read. */
  body: string | undefined;
  /** The answer of a request that has failed; undefined for all others. */
  failure: FailureFacts | undefined;
  /** The request's ticket, which is released when the request ends or the last part of its answer is sent. */
  ticket: Ticket | undefined;
  /** The use of the client's quota; undefined for a client without one, and until the token is checked. */
  quota: QuotaUse | undefined;
}

/** The facts of an operation that the list of failed requests shows. */
export interface RecordedOperation {
  readonly operationId: string;
  /** The operation's resource in the API document. */
  readonly tags?: readonly string[];
  /** The fields of the body that may be recorded: `postings.amount` is the field `amount` of each item of `postings`. */
  readonly recordedFields?: readonly string[];
}

/** An answer to a request that has failed, as the list of failed requests shows it. */
export interface FailureFacts {
  readonly code: string;
  readonly message: string;
  /** What has refused the request, where it was refused because of what its client does besides. */
  readonly refusedBy?: AppError["refusedBy"];
  /** The holder of a valid token that does not allow the request. */
  readonly principal?: Principal | undefined;
}

/** The facts that all requests of an environment share. */
export interface Deployment {
  readonly settings: PlatformSettings;
  /** The scopes of all modules. */
  readonly scopes: readonly string[];
  readonly authenticate: Authenticator;
  readonly quotas: ClientQuotas;
  readonly readOwnApi: ReadOwnApi;
  /** Whether requests need no authentication. Then no other origin may read answers, and reads hide secrets. */
  readonly isOpenToAll: boolean;
}

export const deploymentOf = (c: Context<AppEnv>): Deployment => c.get("request").deployment;
