import type { ExampleConfig } from "./config.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { ProviderFetch } from "#modules/payments/connectors/contract.ts";
import { ApiClient } from "#modules/payments/connectors/kit/client.ts";

export const exampleClient = (
  fetch: ProviderFetch,
  { apiKey, endpoint }: ExampleConfig,
): ApiClient =>
  new ApiClient(fetch, {
    baseUrl: endpoint,
    headers: () => ({ authorization: `Bearer ${apiKey}` }),
  });

/** What an operation throws until it is written. */
export const notWritten = (operation: string): ConnectorError =>
  new ConnectorError("invalid", `${operation} of example is not written yet`);
