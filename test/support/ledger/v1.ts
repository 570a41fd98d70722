import { expect } from "vitest";
import { freshLedger } from "./api.ts";
import { type ApiInit, api } from "#test/support/platform/api.ts";
import { sdk } from "#test/support/platform/sdk/sdk.ts";

export const { v1, v2 } = sdk().ledger;

/** An invalid name of a ledger. */
export const INVALID_NAME = "a.b";

/** A posting of version 1, for example `posting("world -> a", 100n)`. */
export function posting(way: string, amount: bigint, asset = "USD") {
  const [source = "", destination = ""] = way.split(" -> ");
  return { source, destination, amount, asset };
}

/** Calls a path of version 1 below a ledger. */
export const inV1 = (ledger: string, path: string, init?: ApiInit): Promise<Response> =>
  api(`/api/ledger/${ledger}${path}`, init);

/** The status of a count and its number. The SDK cannot read a refused count, because an answer to `HEAD` has no body. */
export async function countOf(ledger: string, path: string): Promise<[number, string | null]> {
  const { status, headers } = await inV1(ledger, path, { method: "HEAD" });
  return [status, headers.get("count")];
}

/** The error code with which a call of the SDK fails, if the error has the type that version 1 declares. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ name: "ErrorsErrorResponse" });
  const { errorCode, errorMessage } = error as { errorCode: string; errorMessage: string }; // errors of this name have a code
  expect(errorMessage).toContain(`[${errorCode}] `);
  return errorCode;
}

/** A ledger with three transactions, of which the last reverts the second, and with metadata on `users:1`. */
export async function writtenLedger(): Promise<string> {
  const ledger = await freshLedger();
  await v1.createTransaction({
    ledger,
    postTransaction: {
      postings: [posting("world -> users:1", 100n)],
      reference: "first",
      metadata: { kind: "deposit" },
      timestamp: new Date("2025-01-01T00:00:00Z"),
    },
  });
  await v1.createTransaction({
    ledger,
    postTransaction: {
      postings: [posting("users:1 -> bank", 30n), posting("world -> bank", 5n, "EUR")],
      timestamp: new Date("2025-01-02T00:00:00Z"),
    },
  });
  await v1.revertTransaction({ ledger, txid: 2n });
  await v1.addMetadataToAccount({ ledger, address: "users:1", requestBody: { tier: "gold" } });
  return ledger;
}
