import type { StripeValue } from "./objects.ts";
import { jsonAnswer, type PspRequest } from "#test/support/psp/fake-psp.ts";

/** The format of Stripe's forms, queries and errors. */

export const endpointOf = (id: string, form: URLSearchParams): StripeValue => ({
  id,
  object: "webhook_endpoint",
  enabled_events: form.getAll("enabled_events[]"),
  status: "enabled",
  ...(form.has("api_version") ? { api_version: form.get("api_version") } : {}),
  ...(form.has("connect") ? { connect: form.get("connect") === "true" } : {}),
});

export const filtered = (items: readonly StripeValue[], { query }: PspRequest): StripeValue[] =>
  items.filter(
    (item) =>
      item["destination"] === (query.get("destination") ?? item["destination"]) &&
      Number(item["created"]) >= Number(query.get("created[gte]") ?? "0"),
  );

/** The members of a form that the provider stores unchanged. */
export const writtenIn = (form: URLSearchParams) => ({
  description: form.get("description"),
  metadata: Object.fromEntries(
    [...form].flatMap(([name, value]) => {
      const key = /^metadata\[(.*)\]$/.exec(name)?.[1];
      return key === undefined ? [] : [[key, value]];
    }),
  ),
});

export const problem = (
  status: number,
  error: { type?: string; code?: string; param?: string; message: string },
): Response => jsonAnswer({ error: { type: "invalid_request_error", ...error } }, status);

export const missing = (what: string): Response =>
  problem(404, { code: "resource_missing", message: `No such ${what}` });
