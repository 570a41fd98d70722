import { expect } from "vitest";
import { bodyOf, send, token } from "#test/support/platform/api.ts";

export const JSON_STREAM = "application/vnd.formance.ledger.api.v2.bulk+json-stream";

export const SCRIPT_STREAM = "application/vnd.formance.ledger.api.v2.bulk+script-stream";

export interface StreamBody {
  readonly data: readonly {
    readonly responseType: string;
    readonly logID: number;
    readonly errorCode?: string;
    readonly errorDescription?: string;
    readonly data?: { readonly id: number; readonly postings: readonly object[] };
  }[];
  readonly errorCode?: string;
  readonly errorMessage?: string;
  readonly details?: string;
}

export interface StreamInit {
  readonly query?: string;
  readonly type?: string;
}

/** Sends a stream; returns the unparsed answer. */
export async function sendStream(
  ledger: string,
  body: string | ReadableStream<Uint8Array>,
  { query = "", type = JSON_STREAM }: StreamInit = {},
): Promise<Response> {
  return send(`/api/ledger/v2/${ledger}/_bulk${query}`, {
    method: "POST",
    headers: { authorization: `Bearer ${await token()}`, "content-type": type },
    body,
  });
}

/** Sends a stream; returns the status, the body, and the log id or the error of each element. */
export async function stream(
  ledger: string,
  body: string | ReadableStream<Uint8Array>,
  init: StreamInit = {},
) {
  const response = await sendStream(ledger, body, init);
  expect(response.headers.get("content-type")).toBe("application/json");
  const answer = (await bodyOf(response)) as StreamBody; // every answer to a bulk has this shape
  const results = answer.data?.map(({ errorCode, logID }) => errorCode ?? logID);
  return { status: response.status, body: answer, results };
}

export const SKIPPED = "INTERNAL";
