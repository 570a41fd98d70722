import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { operations } from "./operations.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import type { AppEnv } from "#platform/http/context.ts";
import {
  assertMayRestore,
  findRestoring,
  type StoredRestoration,
} from "#platform/restoration/restoration-token.ts";

export const RestorationParams = z.object({
  restorationID: z.uuid().openapi({
    description: "The id of the restoration, which the answer of its beginning has",
  }),
});

/**
 * The operations of a restoration that is under way, below `/api/florin/v1/restorations/{restorationID}`. They carry the token of the
 * restoration, and no access token: it replaces the clients and keys by which access tokens are checked. Without one, and in a deployment that
 * is not served to take a backup, they are refused before their body is read.
 */
export const restorationOperations = (prefix = "") =>
  operations({
    path: `${prefix}/restorations/{restorationID}`,
    tags: ["Restorations"],
    scope: "public",
    params: RestorationParams,
    before: (c) => assertMayRestore(c.env, c.req.raw),
  });

/** The work and the errors that these operations have in common. */
export const RESTORING = {
  work: "backup",
  errors: [404, 409],
} as const;

/** A request of a restoration, as a handler gets it. */
interface RestorationRequest {
  readonly params: { readonly restorationID: string };
  readonly context: ServiceContext;
  readonly c: Context<AppEnv>;
}

/**
 * The restoration of a request that reads of it, or ends it. Throws `UNAUTHENTICATED`, `NOT_FOUND` and `CONFLICT` for a request without the
 * token of a restoration that is under way, or `mayBeOver`.
 */
export const restorationOf = (
  { params: { restorationID: reference }, context, c: { req } }: RestorationRequest,
  { mayBeOver = false }: { readonly mayBeOver?: boolean } = {},
): Promise<StoredRestoration> =>
  findRestoring(context.env, { request: req.raw, reference, mayBeOver });

/**
 * The restoration of a request that writes a ledger or an object, as `restorationOf`. Throws `CONFLICT` before rows of the database are
 * written, which say what the deployment has:
 *
 * ```ts
 * restoring.post("/ledgers/{uuid}/log", {
 *   ...RESTORING,
 *   params: RestorationParams.extend({ uuid: z.uuid() }),
 *   handle: async (request) => takeLog(await writtenRestorationOf(request), request.body),
 * })
 * ```
 */
export async function writtenRestorationOf(
  request: RestorationRequest,
): Promise<StoredRestoration> {
  const found = await restorationOf(request);
  if (found.writtenAt !== null) return found;
  throw new AppError("CONFLICT", "ledgers and objects come back behind the rows of the database");
}
