import { z } from "zod";
import type { ColumnConfig } from "./config.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

export const SPEC = new kit.SpecMetadata("com.column.spec/");

/** The bank has accounts in dollars only. Amounts are in minor units. */
export const CURRENCIES = new kit.Currencies({ known: ["USD"] });

/** Longest idempotency key, in characters. */
const KEY_LENGTH_MAX = 255;

/** The reference of a movement as the provider accepts and shows it. */
export const idempotencyKeyOf = (reference: string): string =>
  kit.headerKey(reference, KEY_LENGTH_MAX);

/** The lists of the API; the member of an answer that holds the objects has the name of the list. */
const LISTS = {
  "/bank-accounts": "bank_accounts",
  "/counterparties": "counterparties",
  "/transfers": "transfers",
  "/webhook-endpoints": "webhook_endpoints",
} as const;
export type ColumnList = keyof typeof LISTS;

const Identified = z.object({ id: kit.Text });

/** An object as the provider has sent it. */
interface ColumnObject {
  readonly id: string;
  readonly value: unknown;
}

/** The API of Column. All methods throw `ConnectorError`. */
export class ColumnClient extends kit.ApiClient {
  constructor(fetch: kit.ProviderFetch, { apiKey, endpoint }: ColumnConfig) {
    super(fetch, {
      baseUrl: endpoint,
      headers: () => ({ authorization: kit.basicAuth("", apiKey) }),
      errorKindOf,
    });
  }

  /** A page of a list that has its newest object first. */
  async list(
    path: ColumnList,
    {
      limit,
      after: starting_after,
      before: ending_before,
    }: kit.TimelinePlace & { readonly limit: number },
  ): Promise<kit.TimelinePage<ColumnObject>> {
    const page = await this.read(
      { path, query: { limit, starting_after, ending_before } },
      z.object({ [LISTS[path]]: z.array(z.unknown()), has_more: z.boolean() }),
      "a list",
    );
    const { [LISTS[path]]: values, has_more: hasMore } = page;
    const objects = kit.parseObject(z.array(z.unknown()), values, "a list");
    return {
      ...kit.readEach(objects, (value) => ({
        id: kit.parseObject(Identified, value, "an object of a list").id,
        value,
      })),
      hasMore: kit.parseObject(z.boolean(), hasMore, "a list"),
    };
  }

  /** The next page of a list: at first from the newest object to the oldest one, afterwards the newer objects. */
  async fetchList<Item>(
    path: ColumnList,
    { state, pageSize }: { readonly state: unknown; readonly pageSize: number },
    read: (value: unknown) => Item | undefined,
  ): Promise<kit.FetchPage<Item>> {
    const page = await kit.fetchTimeline(state, {
      list: (place) => this.list(path, { limit: pageSize, ...place }),
      idOf: ({ id }) => id,
    });
    return kit.readPage(page, ({ value }) => read(value));
  }

  /** Creates an object. For a known reference, the provider answers with the object that it has created before. */
  create(path: string, json: object, reference?: string): Promise<unknown> {
    const headers: Record<string, string> =
      reference === undefined ? {} : { "idempotency-key": idempotencyKeyOf(reference) };
    return this.read({ method: "POST", path, json, headers }, z.unknown(), "what was made");
  }

  async update(path: string, json: object): Promise<unknown> {
    return this.read({ method: "PATCH", path, json }, z.unknown(), "what was changed");
  }

  /** Deletes an object. An object that does not exist any more counts as deleted. */
  async remove(path: string): Promise<void> {
    await this.send({ method: "DELETE", path });
  }
}

/** The status 409 says that another request with the same idempotency key is in progress, which may succeed. */
const errorKindOf = ({ status }: kit.ProviderResponse): kit.ConnectorErrorKind | undefined =>
  status === 409 ? "unknown" : undefined;
