import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";

/** The answer of the fake of Cloudflare's API: the result in the API's envelope, or one of its errors. */
export type FakeAnswer =
  | { readonly result: unknown }
  | { readonly status: number; readonly code: number };

/** The answer for a resource that is not there, with the API's code. */
export const gone = (code: number): FakeAnswer => ({ status: 404, code });

export interface FakeCall {
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Answers a request of the method and path that a pattern matches. */
export type FakeRoute = readonly [
  RegExp,
  (match: RegExpExecArray, call: FakeCall) => FakeAnswer | Promise<FakeAnswer>,
];

/** The JSON body of a request. Throws if it does not fit, so that a test sees what the real API would refuse. */
export const bodyOf = <S extends z.ZodType>(schema: S, body: Buffer): z.output<S> =>
  schema.parse(JSON.parse(body.toString()));

/** The body that creates a database or a bucket. */
export const NamedBody = z.object({ name: z.string(), jurisdiction: z.string().optional() });

/** A resource's id, of the API's form. */
export const fakeId = (): string => crypto.randomUUID();
