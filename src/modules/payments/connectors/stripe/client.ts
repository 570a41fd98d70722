import { z } from "zod";
import type { StripeConfig } from "./config.ts";
import { errorKindOf, isCursorGone, LostCursorError } from "./errors.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

const BASE_URL = "https://api.stripe.com";
/** The shapes of objects are those of this version, whatever the account's own version is. Webhooks are pinned to it as well. */
export const API_VERSION = "2024-09-30.acacia";
/** The provider itself takes up to 80 s; more than this is not waited for here, in milliseconds. */
const TIMEOUT_MS = 40_000;

/** An object of the provider, as it has sent it. */
export interface StripeObject {
  readonly id: string;
  readonly value: unknown;
}

/** A request of one account: that of the key where none is named. */
export interface StripeCall extends Pick<kit.ApiCall, "path" | "query"> {
  readonly account?: string | undefined;
}

export interface StripeList extends StripeCall {
  readonly place: kit.TimelinePlace;
  readonly limit: number;
}

export interface StripeWrite extends StripeCall {
  readonly form: NonNullable<kit.ApiCall["form"]>;
  /** Two requests with one key do what they ask for once, as long as the provider remembers it: a day at least. */
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

  /** It is the only object without an id. */
  readBalance(account: string): Promise<unknown> {
    return this.#readValue({ path: "/balance", account });
  }

  async #readValue(call: StripeCall): Promise<unknown> {
    const response = await this.#send(call);
    kit.assertFound(response);
    return kit.parseAnswer(response);
  }

  /** Undefined where the provider has no such object. */
  async find(call: StripeCall, what: string): Promise<StripeObject | undefined> {
    const response = await this.#send(call);
    return response.status === 404 ? undefined : toObject(kit.parseAnswer(response), what);
  }

  /** A page of a list, its newest object first. Throws `LostCursorError` where the page's neighbour is gone. */
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

  /** An object that is not there any more is removed. */
  async remove(path: string): Promise<void> {
    await this.#send({ path, method: "DELETE" });
  }

  /** The account that the key belongs to. It is asked for once for each key. */
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

/** Longest idempotency key that the provider takes, in characters. */
const KEY_LENGTH_MAX = 255;
