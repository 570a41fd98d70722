import type { OpenAPIHono, z } from "@hono/zod-openapi";
import type { Metadata, MetadataTarget } from "#ledger-engine";
import { replayHeaders, writeOptions } from "#modules/ledger/http/requests.ts";
import { LedgerService } from "#modules/ledger/service/service.ts";
import { WriteHeaders, WriteQuery } from "#modules/ledger/wire/schemas.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { empty, endpoint, errors } from "#platform/http/endpoint.ts";

/** An owner of metadata: the path of its routes, and how their parameters name it. */
export interface MetadataOwner<T extends { ledger: string }> {
  /** Path of the owner, `/v2/{ledger}/accounts/{address}`. */
  readonly path: string;
  /** `an account` */
  readonly noun: string;
  /** The resource under which the API document shows the routes. */
  readonly tag: string;
  readonly params: z.ZodType<T>;
  readonly keyParams: z.ZodType<T & { key: string }>;
  readonly body: z.ZodType<Metadata>;
  readonly operationIds: { readonly add: string; readonly delete: string };
  /** Throws `VALIDATION` if the parameters name no object. */
  readonly toTarget: (params: T) => MetadataTarget;
}

/** The two routes that change the metadata of something. */
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
