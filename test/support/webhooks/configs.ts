import type { ErrorResponse } from "@formance/formance-sdk/sdk/models/webhooks";
import { expect } from "vitest";
import { present } from "#platform/assert.ts";
import { freshName } from "#test/support/platform/api.ts";
import { sdk } from "#test/support/platform/sdk/sdk.ts";

export const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export const EVENT_TYPES = ["ledger.committed_transactions"];

export const webhooks = sdk().webhooks.v1;

export const freshEndpoint = (): string => `https://${freshName("hook")}.example.com/in`;

export async function insert(endpoint = freshEndpoint()) {
  const answer = await webhooks.insertConfig({ endpoint, eventTypes: EVENT_TYPES });
  return present(answer.configResponse, "a success has a body").data;
}

/** The error with which calls of the SDK fail, if it has the type that the SDK declares. */
export async function failureOf(call: Promise<unknown>): Promise<ErrorResponse> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  // The class is not compared: the SDK's modules exist twice here, in two formats.
  expect(error).toMatchObject({ name: "ErrorResponse" });
  return error as ErrorResponse; // only this class of the SDK has the name
}
