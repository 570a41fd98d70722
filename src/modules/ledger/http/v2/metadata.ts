import type { OpenAPIHono, z } from "@hono/zod-openapi";
import type { Metadata, MetadataTarget } from "#ledger-engine";
import { replayHeaders, writeOptions } from "#modules/ledger/http/requests.ts";
import { LedgerService } from "#modules/ledger/service/service.ts";
import { WriteHeaders, WriteQuery } from "#modules/ledger/wire/schemas.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { empty, endpoint, errors } from "#platform/http/endpoint.ts";

/** An object with metadata: the path of its routes, and how their parameters name it. */
export interface MetadataOwner<T extends { ledger: string }> {
  /** Path of the object, such as `/v2/{ledger}/accounts/{address}`. */
  readonly path: string;
  /** Noun for the object in the API document, such as `an account`. */
  readonly noun: string;
  /** Heading of the routes in the API document. */
  readonly tag: string;
  readonly params: z.ZodType<T>;
  readonly keyParams: z.ZodType<T & { key: string }>;
  readonly body: z.ZodType<Metadata>;
  readonly operationIds: { readonly add: string; readonly delete: string };
  /** The object that the parameters name. Throws `VALIDATION` if they name none. */
  readonly toTarget: (params: T) => MetadataTarget;
}

/** Registers the two routes that change the metadata of an object. */
export function registerMetadata<T extends { ledger: string }>(
  app: OpenAPIHono<AppEnv>,
  { path, noun, tag, params: owner, keyParams, body, operationIds, toTarget }: MetadataOwner<T>,
): void {
  const common = {
    tags: [tag],
    scope: "ledger:write",
    query: WriteQuery,
    headers: WriteHeaders,
  } as const;
  endpoint(
    app,
    {
      ...common,
      method: "post",
      path: `${path}/metadata`,
      operationId: operationIds.add,
      summary: `Add metadata to ${noun}`,
      params: owner,
      body,
      responses: { 204: empty("Added"), ...errors(404) },
    },
    async ({ params, query, headers, body: metadata, c }) => {
      const { isReplay } = await LedgerService.from(c.get("context")).execute(
        params.ledger,
        () => ({ kind: "setMetadata", target: toTarget(params), metadata }),
        writeOptions(headers, query),
      );
      return { status: 204, headers: replayHeaders(isReplay) };
    },
  );
  endpoint(
    app,
    {
      ...common,
      method: "delete",
      path: `${path}/metadata/{key}`,
      operationId: operationIds.delete,
      summary: `Delete a metadata key of ${noun}`,
      params: keyParams,
      responses: { 204: empty("Deleted"), ...errors(404) },
    },
    async ({ params, query, headers, c }) => {
      const { isReplay } = await LedgerService.from(c.get("context")).execute(
        params.ledger,
        () => ({ kind: "deleteMetadata", target: toTarget(params), key: params.key }),
        writeOptions(headers, query),
      );
      return { status: 204, headers: replayHeaders(isReplay) };
    },
  );
}
