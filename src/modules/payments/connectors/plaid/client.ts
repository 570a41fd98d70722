import { z } from "zod";
import type { PlaidConfig } from "./config.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

export const PLAID_URL = "https://production.plaid.com";
export const SANDBOX_URL = "https://sandbox.plaid.com";

export const CURRENCIES = new kit.Currencies();

/** An error for which the provider gives a code. */
export class PlaidError extends kit.ConnectorError {
  readonly code: string;

  constructor(code: string, cause: kit.ConnectorError) {
    super(cause.kind, cause.message, {
      cause,
      ...kit.given({ retryAfterMs: cause.retryAfterMs }),
    });
    this.code = code;
  }
}

export const isPlaidError = (error: unknown, code: string): error is PlaidError =>
  error instanceof PlaidError && error.code === code;

const Problem = z.object({ error_type: z.string().nullish(), error_code: z.string() });
type Problem = z.output<typeof Problem>;

/**
 * Classifies errors that pass, although their status is that of a bad request: a bank that does not answer, and data that are not ready
 * yet.
 */
function kindOf({ error_type, error_code }: Problem): kit.ConnectorErrorKind | undefined {
  const isPassing = error_type === "INSTITUTION_ERROR" || error_code === "PRODUCT_NOT_READY";
  return isPassing ? "unreachable" : undefined;
}

interface PlaidCall {
  readonly path: string;
  readonly json: object;
  /** Whether the call changes nothing. All calls have the method POST. */
  readonly isRead?: boolean;
}

/** The API of Plaid. All methods throw `ConnectorError`, which is a `PlaidError` if the provider gives a code. */
export class PlaidClient {
  readonly #fetch: kit.PluginPorts["fetch"];
  readonly #config: PlaidConfig;
  readonly #baseUrl: string;

  constructor({ fetch, baseUrl }: Pick<kit.PluginPorts, "fetch" | "baseUrl">, config: PlaidConfig) {
    this.#fetch = fetch;
    this.#config = config;
    this.#baseUrl = baseUrl ?? (config.isSandbox ? SANDBOX_URL : PLAID_URL);
  }

  async call<S extends z.ZodType>(call: PlaidCall, schema: S): Promise<z.output<S>> {
    const seen: { problem?: Problem } = {};
    const { clientID, clientSecret } = this.#config;
    const api = new kit.ApiClient(this.#fetch, {
      baseUrl: this.#baseUrl,
      headers: () => ({ "plaid-client-id": clientID, "plaid-secret": clientSecret }),
      errorKindOf: (answer) => {
        const problem = problemIn(answer);
        if (problem !== undefined) seen.problem = problem;
        return problem === undefined ? undefined : kindOf(problem);
      },
    });
    try {
      return await api.read({ method: "POST", ...call }, schema, `the answer to ${call.path}`);
    } catch (error) {
      if (seen.problem === undefined || !(error instanceof kit.ConnectorError)) throw error;
      throw new PlaidError(seen.problem.error_code, error);
    }
  }
}

const problemIn = ({ text }: kit.ProviderResponse): Problem | undefined =>
  Problem.safeParse(kit.parseBody(text)).data;
