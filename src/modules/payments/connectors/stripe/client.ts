import { z } from "zod";
import type { StripeConfig } from "./config.ts";
import { errorKindOf, isCursorGone, LostCursorError } from "./errors.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

const BASE_URL = "https://api.stripe.com";
/** The version of the API, which decides the shapes of objects, in answers and in webhooks, whatever the account's own version is. */
export const API_VERSION = "2024-09-30.acacia";
/** Time limit of a request, in milliseconds. The provider itself may take up to 80 s. */
const TIMEOUT_MS = 40_000;

/** An object as the provider has sent it, with its id. */
export interface StripeObject {
  readonly id: string;
  readonly value: unknown;
}

/** A request on behalf of an account; by default the API key's own account. */
export interface StripeCall extends Pick<kit.ApiCall, "path" | "query"> {
  readonly account?: string | undefined;
}

export interface StripeList extends StripeCall {
  readonly place: kit.TimelinePlace;
  readonly limit: number;
}

export interface StripeWrite extends StripeCall {
  readonly form: NonNullable<kit.ApiCall["form"]>;
  /** The key under which the provider carries out a write once. It remembers a key for a day at least. */
  readonly idempotencyKey?: string;
}

type StripePorts = Pick<kit.PluginPorts, "fetch" | "store" | "baseUrl">;

const Identified = z.object({ id: kit.Text });
const Page = z.object({ data: z.array(z.unknown()), has_more: z.boolean() });

/** The API of Stripe. All methods throw `ConnectorError`. */
export class StripeClient {
  readonly #ports: StripePorts;
  readonly #apiKey: string;
  #ownAccount: string | undefined;

  constructor(ports: StripePorts, { apiKey }: StripeConfig) {
    this.#ports = ports;
    this.#apiKey = apiKey;
  }

  async read(call: StripeCall, what: string): Promise<StripeObject> {
    return toObject(await this.#readValue(call), what);
  }

  /** The balance of an account, the only object without an id. */
  readBalance(account: string): Promise<unknown> {
    return this.#readValue({ path: "/balance", account });
  }

  async #readValue(call: StripeCall): Promise<unknown> {
    const response = await this.#send(call);
    kit.assertFound(response);
    return kit.parseAnswer(response);
  }

  /** An object; undefined if the provider has no such object. */
  async find(call: StripeCall, what: string): Promise<StripeObject | undefined> {
    const response = await this.#send(call);
    return response.status === 404 ? undefined : toObject(kit.parseAnswer(response), what);
  }

  /** A page of a list that has its newest object first. Throws `LostCursorError` if the object next to the page was deleted. */
  async list({
    place,
    limit,
    query,
    ...call
  }: StripeList): Promise<kit.TimelinePage<StripeObject>> {
    const asked = { ...query, limit, starting_after: place.after, ending_before: place.before };
    const response = await this.#send({ ...call, query: asked });
    kit.assertFound(response);
    const { data, has_more: hasMore } = kit.parseObject(Page, kit.parseAnswer(response), "a list");
    return { ...kit.readEach(data, (value) => toObject(value, "an object of a list")), hasMore };
  }

  async write({ form, idempotencyKey, ...call }: StripeWrite, what: string): Promise<StripeObject> {
    const headers: Record<string, string> =
      idempotencyKey === undefined
        ? {}
        : { "idempotency-key": kit.headerKey(idempotencyKey, KEY_LENGTH_MAX) };
    const response = await this.#send({ ...call, form, headers, method: "POST" });
    kit.assertFound(response);
    return toObject(kit.parseAnswer(response), what);
  }

  /** Deletes an object. An object that does not exist any more counts as deleted. */
  async remove(path: string): Promise<void> {
    await this.#send({ path, method: "DELETE" });
  }

  /** The id of the API key's own account, which is requested once for each key. */
  async ownAccount(): Promise<string> {
    if (this.#ownAccount !== undefined) return this.#ownAccount;
    const { store } = this.#ports;
    const name = `own-account/${kit.sha256(this.#apiKey, "hex")}`;
    const stored = await store.find(name);
    const account = stored ?? (await this.readOwnAccount()).id;
    if (stored === undefined) await store.insert({ name, value: account });
    this.#ownAccount = account;
    return account;
  }

  readOwnAccount(): Promise<StripeObject> {
    return this.read({ path: "/account" }, "the account of the key");
  }

  async #send({ account, ...call }: StripeCall & kit.ApiCall): Promise<kit.ProviderResponse> {
    let isLost = false;
    const api = new kit.ApiClient(this.#ports.fetch, {
      baseUrl: `${this.#ports.baseUrl ?? BASE_URL}/v1`,
      timeoutMs: TIMEOUT_MS,
      headers: () => ({
        authorization: `Bearer ${this.#apiKey}`,
        "stripe-version": API_VERSION,
        ...call.headers,
      }),
      errorKindOf: (answer) => {
        isLost = isCursorGone(answer);
        return errorKindOf(answer);
      },
    });
    const isOwn = account === undefined || account === (await this.ownAccount());
    const headers = { ...call.headers, ...(isOwn ? {} : { "stripe-account": account }) };
    try {
      return await api.send({ ...call, headers });
    } catch (error) {
      if (isLost && error instanceof kit.ConnectorError) throw new LostCursorError();
      throw error;
    }
  }
}

const toObject = (value: unknown, what: string): StripeObject => ({
  id: kit.parseObject(Identified, value, what).id,
  value,
});

/** Longest idempotency key that the provider accepts, in characters. */
const KEY_LENGTH_MAX = 255;
