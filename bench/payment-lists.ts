import { z } from "zod";
import type { BenchApi } from "./api.ts";
import type { Case } from "./measure.ts";

export const PAYMENT_LIST_NAMES = ["payments-first", "payments-none", "payments-first-v1"] as const;

const READERS = 16;
/** Payments that are created one by one before their lists are measured, and the clients that create them. */
const PAYMENTS = 2000;
const WRITERS = 16;

/** Lists of payments over HTTP: the first page, the page of a filter that fits no payment, and the first page of version 1. */
export async function paymentListCases(api: BenchApi): Promise<Case[]> {
  await createPayments(api);
  const query = encodeURIComponent(JSON.stringify({ $match: { status: "EXPIRED" } }));
  const paths: Record<(typeof PAYMENT_LIST_NAMES)[number], string> = {
    "payments-first": "/api/payments/v3/payments",
    "payments-none": `/api/payments/v3/payments?query=${query}`,
    "payments-first-v1": "/api/payments/payments",
  };
  return PAYMENT_LIST_NAMES.map((name) => ({
    name,
    concurrency: READERS,
    load: { kind: "get", path: paths[name] },
  }));
}

async function createPayments(api: BenchApi): Promise<void> {
  const installed = await api.send(
    "POST",
    "/api/payments/v3/connectors/install/dummypay",
    JSON.stringify({ name: "bench", directory: "bench" }),
  );
  const { data: connectorID } = Installed.parse(installed);
  let created = 0;
  const write = async (): Promise<void> => {
    while (created < PAYMENTS) {
      await api.send("POST", "/api/payments/v3/payments", paymentAt(created++, connectorID));
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
}

const Installed = z.object({ data: z.string() });

function paymentAt(place: number, connectorID: string): string {
  const reference = `bench-${place}`;
  const state = { reference, createdAt: "2026-03-01T09:30:00Z", amount: place, asset: "EUR/2" };
  return JSON.stringify({
    ...state,
    connectorID,
    type: "PAY-IN",
    scheme: "CARD_VISA",
    initialAmount: place,
    metadata: { order: `${place}` },
    adjustments: [{ ...state, status: "SUCCEEDED" }],
  });
}
