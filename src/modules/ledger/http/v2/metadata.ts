import type { z } from "@hono/zod-openapi";
import type { Metadata, MetadataTarget } from "#ledger-engine";
import { written } from "#modules/ledger/http/answers.ts";
import { writeOptions } from "#modules/ledger/http/requests.ts";
import { LedgerService } from "#modules/ledger/service/service.ts";
import { WriteHeaders, WriteQuery } from "#modules/ledger/wire/schemas.ts";
import { operations, registration, type Registration } from "#platform/http/index.ts";

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

/** The two operations that change the metadata of an object. */
export function metadataOperations<T extends { ledger: string }>({
  path,
  noun,
  tag,
  params,
  keyParams,
  body,
  operationIds,
  toTarget,
}: MetadataOwner<T>): Registration {
  const metadata = operations({ path: `${path}/metadata`, tags: [tag], scope: "ledger" });
  return registration(
    metadata.post("", {
      operationId: operationIds.add,
      summary: `Add metadata to ${noun}`,
      params,
      query: WriteQuery,
      headers: WriteHeaders,
      body,
      answer: written("Added"),
      errors: [404],
      handle: ({ params, query, headers, body: metadata, context }) =>
        LedgerService.from(context).execute(
          params.ledger,
          () => ({ kind: "setMetadata", target: toTarget(params), metadata }),
          writeOptions(headers, query),
        ),
    }),
    metadata.delete("/{key}", {
      operationId: operationIds.delete,
      summary: `Delete a metadata key of ${noun}`,
      params: keyParams,
      query: WriteQuery,
      headers: WriteHeaders,
      answer: written("Deleted"),
      errors: [404],
      handle: ({ params, query, headers, context }) =>
        LedgerService.from(context).execute(
          params.ledger,
          () => ({ kind: "deleteMetadata", target: toTarget(params), key: params.key }),
          writeOptions(headers, query),
        ),
    }),
  );
}
