import { z } from "zod";
import type { ColumnConfig } from "./config.ts";
import type { ConnectorErrorKind } from "#modules/payments/connectors/connector-error.ts";
import type {
  FetchPage,
  ProviderFetch,
  ProviderResponse,
} from "#modules/payments/connectors/contract.ts";
import { ApiClient } from "#modules/payments/connectors/kit/client.ts";
import { Currencies } from "#modules/payments/connectors/kit/currencies.ts";
import { readEach, readPage } from "#modules/payments/connectors/kit/items.ts";
import { parseObject, Text } from "#modules/payments/connectors/kit/objects.ts";
import { basicAuth, headerKey } from "#modules/payments/connectors/kit/signatures.ts";
import {
  fetchTimeline,
  type TimelinePage,
  type TimelinePlace,
} from "#modules/payments/connectors/kit/timeline.ts";

/** What users and this connector add to metadata begins so. */
export const PREFIX = "com.column.spec/";

/** The bank has accounts in dollars only. Amounts are in minor units. */
export const CURRENCIES = new Currencies({ known: ["USD"] });

/** Longest idempotency key, in characters. */
const KEY_LENGTH_MAX = 255;

/** The reference of a movement as the provider takes and shows it. */
export const idempotencyKeyOf = (reference: string): string => headerKey(reference, KEY_LENGTH_MAX);

/** The lists of the API; the member of an answer that holds the objects has the name of the list. */
const LISTS = {
  "/bank-accounts": "bank_accounts",
  "/counterparties": "counterparties",
  "/transfers": "transfers",
  "/webhook-endpoints": "webhook_endpoints",
} as const;
export type ColumnList = keyof typeof LISTS;

const Identified = z.object({ id: Text });

/** An object as the provider has sent it. */
interface ColumnObject {
  readonly id: string;
  readonly value: unknown;
}

/** The API of Column. All methods throw `ConnectorError`. */
export class ColumnClient {
  readonly #api: ApiClient;

  constructor(fetch: ProviderFetch, { apiKey, endpoint }: ColumnConfig) {
    this.#api = new ApiClient(fetch, {
      baseUrl: endpoint,
      headers: () => ({ authorization: basicAuth("", apiKey) }),
      errorKindOf,
    });
  }

  /** A page of a list, which has its newest object first. */
  async list(
    path: ColumnList,
    {
      limit,
      after: starting_after,
      before: ending_before,
    }: TimelinePlace & { readonly limit: number },
  ): Promise<TimelinePage<ColumnObject>> {
    const page = await this.#api.read(
      { path, query: { limit, starting_after, ending_before } },
      z.object({ [LISTS[path]]: z.array(z.unknown()), has_more: z.boolean() }),
      "a list",
    );
    const { [LISTS[path]]: values, has_more: hasMore } = page;
    const objects = parseObject(z.array(z.unknown()), values, "a list");
    return {
      ...readEach(objects, (value) => ({
        id: parseObject(Identified, value, "an object of a list").id,
        value,
      })),
      hasMore: parseObject(z.boolean(), hasMore, "a list"),
    };
  }

  /** The next page of a list: at first from its newest object to its oldest one, and then what is newer. */
  async fetchList<Item>(
    path: ColumnList,
    { state, pageSize }: { readonly state: unknown; readonly pageSize: number },
    read: (value: unknown) => Item | undefined,
  ): Promise<FetchPage<Item>> {
    const page = await fetchTimeline(state, {
      list: (place) => this.list(path, { limit: pageSize, ...place }),
      idOf: ({ id }) => id,
    });
    return readPage(page, ({ value }) => read(value));
  }

  /** Undefined where the provider has no such object. */
  find<S extends z.ZodType>(
    path: string,
    schema: S,
    what: string,
  ): Promise<z.output<S> | undefined> {
    return this.#api.find({ path }, schema, what);
  }

  /** Makes an object. With a reference that is known, the provider answers with what it has made of it before. */
  create(path: string, json: object, reference?: string): Promise<unknown> {
    const headers: Record<string, string> =
      reference === undefined ? {} : { "idempotency-key": idempotencyKeyOf(reference) };
    return this.#api.read({ method: "POST", path, json, headers }, z.unknown(), "what was made");
  }

  async update(path: string, json: object): Promise<unknown> {
    return this.#api.read({ method: "PATCH", path, json }, z.unknown(), "what was changed");
  }

  /** An object that is not there any more is removed. */
  async remove(path: string): Promise<void> {
    await this.#api.send({ method: "DELETE", path });
  }
}

/** Another request with the same idempotency key is under way, and may succeed. */
const errorKindOf = ({ status }: ProviderResponse): ConnectorErrorKind | undefined =>
  status === 409 ? "unknown" : undefined;
