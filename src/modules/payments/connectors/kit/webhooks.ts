import { z } from "zod";
import { parseBody, Text } from "./objects.ts";
import { isRecent, isSignedBy, parseTimedSignature } from "./signatures.ts";
import type { WebhookVerdict } from "#modules/payments/connectors/webhook-contract.ts";
import type { Timestamp } from "#platform/time.ts";

/** Functions for webhooks of providers that have lists of endpoints or subscriptions, and events with ids. */

const PER_PAGE = 100;
/** Most pages of endpoints that are read. An account has few endpoints. */
const PAGES_MAX = 20;

export interface EndpointPage<Endpoint, Place> {
  readonly endpoints: readonly Endpoint[];
  /** The place of the next page; undefined on the last page. */
  readonly next: Place | undefined;
}

/** Reads all endpoints of an account, page by page. */
export async function readEndpoints<Endpoint, Place>(
  readPage: (place: Place | undefined, limit: number) => Promise<EndpointPage<Endpoint, Place>>,
): Promise<Endpoint[]> {
  const found: Endpoint[] = [];
  let place: Place | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const { endpoints, next } = await readPage(place, PER_PAGE);
    found.push(...endpoints);
    if (next === undefined) break;
    place = next;
  }
  return found;
}

const Identified = z.object({ id: Text });

/** The verdict on a delivery with a valid signature. The id of the event is the key of the delivery. */
export function verdictOnEvent(body: string): WebhookVerdict {
  const { data } = Identified.safeParse(parseBody(body));
  return data === undefined ? { refused: "it is no event" } : { key: data.id };
}

export interface TimedDelivery {
  /** The header with the signatures; see `parseTimedSignature`. */
  readonly header: string | undefined;
  readonly body: string;
  /** The secret of the signatures; empty if the secret is not known. */
  readonly key: string;
  /** Parses the time of a signature; undefined for an invalid text. */
  readonly readTime: (text: string) => Timestamp | undefined;
  readonly now: Timestamp;
}

/** The verdict on a delivery whose signatures cover the time of signing and the body. */
export function verifyTimed({ header, body, key, readTime, now }: TimedDelivery): WebhookVerdict {
  const signature = parseTimedSignature(header);
  if (signature === undefined) return { refused: "it is not signed" };
  if (key === "") return { refused: "the secret of the endpoint is not known" };
  const { time, signatures } = signature;
  if (!isSignedBy({ key, text: `${time}.${body}`, encoding: "hex" }, signatures)) {
    return { refused: "its signature is another one" };
  }
  const madeAt = readTime(time);
  if (madeAt === undefined || !isRecent(madeAt, now)) {
    return { refused: "its signature is too old, or of the future" };
  }
  return verdictOnEvent(body);
}
