import { vi } from "vitest";
import { USERS_CHART, DEPOSIT } from "#test/support/ledger/schema-api.ts";

export const WITH_TEMPLATE = { chart: USERS_CHART, transactions: { deposit: { script: DEPOSIT } } };

/** Captures warnings in the log from now on. The returned function parses their lines. */
export function warnings(): () => Record<string, unknown>[] {
  const spy = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  return () => spy.mock.calls.map(([line]) => JSON.parse(String(line)) as Record<string, unknown>);
}
