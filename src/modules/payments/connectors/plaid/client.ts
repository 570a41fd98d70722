import { z } from "zod";
import type { PlaidConfig } from "./config.ts";
import {
  ConnectorError,
  type ConnectorErrorKind,
} from "#modules/payments/connectors/connector-error.ts";
import type { PluginPorts, ProviderResponse } from "#modules/payments/connectors/contract.ts";
import { ApiClient } from "#modules/payments/connectors/kit/client.ts";
import { Currencies } from "#modules/payments/connectors/kit/currencies.ts";
import { parseJson } from "#platform/json.ts";

export const PLAID_URL = "https://production.plaid.com";
export const SANDBOX_URL = "https://sandbox.plaid.com";

export const CURRENCIES = new Currencies();

/** An error that the provider names by a code. */
export class PlaidError extends ConnectorError {
  readonly code: string;

  constructor(code: string, cause: ConnectorError) {
    super(cause.kind, cause.message, {
      cause,
      ...(cause.retryAfterMs === undefined ? {} : { retryAfterMs: cause.retryAfterMs }),
    });
    this.code = code;
  }
}

export const isPlaidError = (error: unknown, code: string): error is PlaidError =>
  error instanceof PlaidError && error.code === code;

const Problem = z.object({ error_type: z.string().nullish(), error_code: z.string() });
type Problem = z.output<typeof Problem>;

/** A bank that does not answer, or data that are not ready yet, may be there the next time, although the status is that of a bad request. */
function kindOf({ error_type, error_code }: Problem): ConnectorErrorKind | undefined {
  const isPassing = error_type === "INSTITUTION_ERROR" || error_code === "PRODUCT_NOT_READY";
  return isPassing ? "unreachable" : undefined;
}

interface PlaidCall {
  readonly path: string;
  readonly json: object;
  /** Whether it changes nothing. All requests have the method POST. */
  readonly isRead?: boolean;
}

/** The API of Plaid. All methods throw `ConnectorError`, which is a `PlaidError` where the provider names a code. */
export class PlaidClient {
  readonly #fetch: PluginPorts["fetch"];
  readonly #config: PlaidConfig;
  readonly #baseUrl: string;

  constructor({ fetch, baseUrl }: Pick<PluginPorts, "fetch" | "baseUrl">, config: PlaidConfig) {
    this.#fetch = fetch;
    this.#config = config;
    this.#baseUrl = baseUrl ?? (config.isSandbox ? SANDBOX_URL : PLAID_URL);
  }

  async call<S extends z.ZodType>(call: PlaidCall, schema: S): Promise<z.output<S>> {
    const seen: { problem?: Problem } = {};
    const { clientId, clientSecret } = this.#config;
    const api = new ApiClient(this.#fetch, {
      baseUrl: this.#baseUrl,
      headers: () => ({ "plaid-client-id": clientId, "plaid-secret": clientSecret }),
      errorKindOf: (answer) => {
        const problem = problemIn(answer);
        if (problem !== undefined) seen.problem = problem;
        return problem === undefined ? undefined : kindOf(problem);
      },
    });
    try {
      return await api.read({ method: "POST", ...call }, schema, `the answer to ${call.path}`);
    } catch (error) {
      if (seen.problem === undefined || !(error instanceof ConnectorError)) throw error;
      throw new PlaidError(seen.problem.error_code, error);
    }
  }
}

function problemIn({ text }: ProviderResponse): Problem | undefined {
  try {
    return Problem.safeParse(parseJson(text)).data;
  } catch {
    return undefined; // its status says what it is
  }
}
