import type { ServerResponse } from "node:http";

/** Carries out a request and returns the text of the answer that a working provider would send. */
export type CarryOut = () => Promise<string>;

/** A way in which a provider fails, and what a connector makes of it. */
export interface Outage {
  readonly name: string;
  /** What the provider does with a request; absent if it refuses connections. */
  readonly answer?: (response: ServerResponse, carryOut: CarryOut) => unknown;
  /** The polling period of the connector; absent for the usual one. */
  readonly pollingPeriod?: string;
  /** What becomes of a payout that meets the outage. A clear refusal ends a payout, because no money has moved. */
  readonly payout: "PROCESSED" | "FAILED";
  /** The last error, as the connector's health shows it. */
  readonly error: RegExp;
}

/** Real milliseconds between two bytes of a slow answer. */
const DRIP_MS = 20;
const PAGE = "<!doctype html><title>Maintenance</title>";

/** A failure after which a later call finds out whether the provider has carried out the request. */
const unclear = { payout: "PROCESSED" } as const;
const refused = { payout: "FAILED" } as const;
/** A period that is short enough for ten failed runs in six hours, after which probes come an hour apart. */
const pausing = { pollingPeriod: "20m" } as const;

/** Failures of a provider. If an answer can get lost, the provider carries out the request first. */
export const OUTAGES: readonly Outage[] = [
  { ...unclear, name: "refuses connections", error: /gave no answer/ },
  {
    ...unclear,
    name: "never answers",
    error: /no complete answer within 10 s/,
    answer: (_response, carryOut) => carryOut(),
  },
  {
    ...unclear,
    ...pausing,
    name: "resets connections within the body",
    error: /gave no answer/,
    answer: async (response, carryOut) => {
      const text = await carryOut();
      response.writeHead(200, { "content-length": Buffer.byteLength(text) });
      response.write(halfOf(text), () => response.socket?.resetAndDestroy());
    },
  },
  {
    ...unclear,
    name: "sends an answer without end",
    error: /no complete answer within 10 s/,
    answer: async (response, carryOut) => {
      await carryOut();
      response.writeHead(200, { "content-type": "application/json" });
      const timer = setInterval(() => response.write(" "), DRIP_MS);
      response.on("close", () => clearInterval(timer));
    },
  },
  {
    ...unclear,
    ...pausing,
    name: "answers 500",
    error: /answered 500: oops/,
    answer: async (response, carryOut) => {
      await carryOut();
      response.writeHead(500).end('{"message":"oops"}');
    },
  },
  {
    ...unclear,
    name: "answers 503 with a time",
    error: /answered 503/,
    answer: (response) => response.writeHead(503, { "retry-after": "600" }).end(),
  },
  {
    ...unclear,
    name: "answers 429 with a time",
    error: /answered 429/,
    answer: (response) => response.writeHead(429, { "retry-after": "900" }).end(),
  },
  {
    ...refused,
    ...pausing,
    name: "answers 401",
    error: /answered 401: the key is revoked/,
    answer: (response) => response.writeHead(401).end('{"message":"the key is revoked"}'),
  },
  {
    ...refused,
    name: "redirects to itself",
    error: /answered 307/,
    answer: (response) => response.writeHead(307, { location: response.req.url }).end(),
  },
  {
    ...unclear,
    ...pausing,
    name: "answers 200 with a page",
    error: /is not JSON/,
    answer: async (response, carryOut) => {
      await carryOut();
      response.writeHead(200, { "content-type": "text/html" }).end(PAGE);
    },
  },
  {
    ...unclear,
    name: "answers 200 with half of the JSON",
    error: /is not JSON/,
    answer: async (response, carryOut) => {
      response.writeHead(200).end(halfOf(await carryOut()));
    },
  },
];

/** The first half of the text of an object or an array, which is no JSON. */
const halfOf = (text: string): string => text.slice(0, text.length / 2);
