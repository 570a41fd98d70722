import { type Network, parseNetwork } from "./addresses.ts";
import { present } from "#platform/assert.ts";
import { DeclaredSettings, integer, list } from "#platform/settings.ts";

const PLACES = { least: 1, most: 100_000 };

const TRUSTED_PROXIES = list(
  "comma separated IP addresses, or networks such as 10.0.0.0/8",
  (item) => parseNetwork(item) !== undefined,
  {
    meaning:
      "The proxies in front of `npm start` whose `X-Forwarded-For` header has the address of a request; without any, the address is that of the socket's other end",
  },
);

/** Limits of concurrent work in an isolate, by kinds, and the proxies that are trusted to name a request's sender. */
export const admissionSettings = new DeclaredSettings({
  FLORIN_LIMIT_REQUESTS: integer(PLACES, {
    standard: "256",
    meaning: "Ordinary requests that an isolate serves at once",
  }),
  FLORIN_LIMIT_CREDENTIALS: integer(PLACES, {
    standard: "64",
    meaning: "Signatures and secrets that an isolate checks or makes at once",
  }),
  FLORIN_LIMIT_SCRIPTS: integer(PLACES, {
    standard: "64",
    meaning: "Scripts, and as many expressions, that an isolate checks or tries at once",
  }),
  FLORIN_LIMIT_EXPORTS: integer(PLACES, {
    standard: "8",
    meaning:
      "Exports, and as many imports and verifications, that an isolate has under way at once",
  }),
  FLORIN_LIMIT_CREATIONS: integer(PLACES, {
    standard: "2",
    meaning:
      "Webhook configs, each of which has an object with tables, that an isolate makes at once",
  }),
  FLORIN_LIMIT_STARTS: integer(PLACES, {
    standard: "3",
    meaning: "Instances of workflows that an isolate starts at once",
  }),
  FLORIN_LIMIT_STREAMS: integer(PLACES, {
    standard: "100",
    meaning: "Event streams and streams of ledgers that an isolate has open at once",
  }),
  FLORIN_LIMIT_UPLOADS: integer(PLACES, {
    standard: "8",
    meaning: "Uploads of statements that an isolate has under way at once",
  }),
  FLORIN_LIMIT_WAITING: integer(PLACES, {
    standard: "256",
    meaning: "Requests of an isolate that wait at once for the end of an instance",
  }),
  FLORIN_TRUSTED_PROXIES: {
    ...TRUSTED_PROXIES,
    schema: TRUSTED_PROXIES.schema.transform((items): Network[] =>
      items.map((item) => present(parseNetwork(item), "the items were checked")),
    ),
  },
});
