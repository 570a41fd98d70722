import type { ExporterConfig } from "#modules/exporters/drivers/config.ts";
import type { DriverContext } from "#modules/exporters/drivers/driver.ts";
import type { LogItem } from "#modules/exporters/drivers/log-page.ts";
import { OPEN_GATE } from "#platform/http/outbound.ts";
import { stringifyJson } from "#platform/json.ts";

/** A request that a destination got. */
export interface DestinationCall {
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string;
}

/** The dependencies of drivers, with a server whose answers the test controls. */
export class FakeServer {
  readonly calls: DestinationCall[] = [];
  /** Makes the answer to a call; at first, 200 without a body. */
  respond: (call: DestinationCall) => Response | Promise<Response> = () => new Response(null);

  context(options: Partial<DriverContext> = {}): DriverContext {
    return {
      fetch: async (url, init) => {
        const headers = new Headers(init.headers);
        const body = await new Response(init.body ?? null).text();
        const call = { url: new URL(url), headers, body };
        this.calls.push(call);
        return this.respond(call);
      },
      policy: { allowPrivateHosts: true },
      gate: OPEN_GATE,
      bindings: {},
      ...options,
    };
  }
}

/** An amount that a number cannot hold exactly. */
export const LARGE = 10n ** 30n + 7n;

/** A log entry of a transaction with the amount `LARGE`, as the ledger writes it. */
export function item(id: number): LogItem {
  const postings = [{ source: "world", destination: "a", amount: LARGE, asset: "USD" }];
  return {
    id,
    text: stringifyJson({
      type: "NEW_TRANSACTION",
      data: {
        transaction: { postings, metadata: { note: 'a "quoted" <é>' }, id },
        accountMetadata: {},
      },
      date: "2026-03-01T09:31:00.123456Z",
      idempotencyKey: "",
      idempotencyHash: "",
      id,
      hash: "zwn2BprZuFnEni5Z5dOV/zai9M0XGiqWcy4p+pDlZNI=",
    }),
  };
}

export const items = (from: number, to: number): LogItem[] =>
  Array.from({ length: to - from + 1 }, (_, index) => item(from + index));

/** The message and the field of the error for a refused config. */
export function configErrorOf(open: (config: ExporterConfig) => unknown, config: ExporterConfig) {
  try {
    open(config);
  } catch (error) {
    const { name, kind, field, message } = error as Record<
      "name" | "kind" | "field" | "message",
      string
    >; // drivers throw errors of this shape
    return { name, kind, field, message };
  }
  return undefined;
}
