import type { ExampleConfig } from "./config.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

export const exampleClient = (
  fetch: kit.ProviderFetch,
  { apiKey, endpoint }: ExampleConfig,
): kit.ApiClient =>
  new kit.ApiClient(fetch, {
    baseUrl: endpoint,
    headers: () => ({ authorization: `Bearer ${apiKey}` }),
  });

/** The error of an operation until it is written. */
export const notWritten = (operation: string): kit.ConnectorError =>
  kit.refused(`${operation} of example is not written yet`);
