import type { NewFailedRequest } from "#platform/failed-requests/store.ts";
import { parseTimestamp, type Timestamp } from "#platform/time.ts";

/** A request that has failed, with some facts of its own. */
export const failedRequest = (facts: Partial<NewFailedRequest> = {}): NewFailedRequest => ({
  date: parseTimestamp("2026-03-01T09:30:00.25Z") as Timestamp, // the text is a timestamp
  requestId: crypto.randomUUID(),
  method: "POST",
  path: "/api/ledger/v2/shop/transactions",
  route: "/api/ledger/v2/{ledger}/transactions",
  operation: "v2CreateTransaction",
  status: 409,
  code: "CONFLICT",
  message: "the reference topup-7 is taken",
  issuer: "https://florin.example.com/api/auth",
  subject: "billing",
  clientId: "billing",
  durationMs: 12,
  body: '{"postings":[{"source":"world","destination":"users:42","amount":1500,"asset":"EUR/2"}],"reference":"topup-7"}',
  ...facts,
});
