import { vi } from "vitest";
import { USERS_CHART, DEPOSIT } from "#test/support/ledger/schema-api.ts";

export const WITH_TEMPLATE = { chart: USERS_CHART, transactions: { deposit: { script: DEPOSIT } } };

/** Captures the lines that the code logs as warnings. The result returns them, parsed as JSON. */
export function warnings(): () => Record<string, unknown>[] {
  const spy = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  return () => spy.mock.calls.map(([line]) => JSON.parse(String(line)) as Record<string, unknown>);
}
