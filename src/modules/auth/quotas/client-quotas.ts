import { createHash } from "node:crypto";
import { ClientLeases, type QuotaStub } from "./client-leases.ts";
import { QuotaList } from "./quota-list.ts";
import { RequestQuota } from "./request-quota.ts";
import { loadQuotas } from "./store.ts";
import { isUnlimited, type Quota } from "#modules/auth/core/quota.ts";
import { authSettings } from "#modules/auth/settings.ts";
import type { ClientQuotas, QuotaUse } from "#platform/admission/quotas.ts";
import type { Principal } from "#platform/context.ts";
import { FifoCache, memoByEnv } from "#platform/memo.ts";
import { objectAt } from "#platform/objects/address.ts";

/** Most clients whose tokens an isolate holds. Those of others go back to nobody, and their buckets fill again. */
const CLIENTS_HELD_MAX = 4096;

/** The quotas of an isolate: the own ones of clients, and the one that the settings give all others. */
class IsolateQuotas implements ClientQuotas {
  readonly list: QuotaList;
  readonly #env: Env;
  /** The quota of clients without one of their own; undefined if the settings name none. */
  readonly #standard: Quota | undefined;
  readonly #leases = new FifoCache<ClientLeases>({ sizeMax: CLIENTS_HELD_MAX });

  constructor(env: Env) {
    this.#env = env;
    this.#standard = standardQuota(env);
    this.list = new QuotaList({ load: () => loadQuotas(env), nowMs: () => Date.now() });
  }

  useOf(principal: Principal): QuotaUse | undefined | Promise<QuotaUse | undefined> {
    if (this.list.isDue(Date.now())) return this.#useLater(principal);
    return this.#use(principal);
  }

  async #useLater(principal: Principal): Promise<QuotaUse | undefined> {
    await this.list.refresh();
    return this.#use(principal);
  }

  #use(principal: Principal): QuotaUse | undefined {
    if (this.#standard === undefined && this.list.isEmpty) return undefined;
    const { clientId, issuer, token } = principal;
    const isOwn = token !== undefined;
    const quota = (isOwn ? this.list.find(clientId) : undefined) ?? this.#standard;
    if (quota === undefined || isUnlimited(quota)) return undefined;
    const key = isOwn ? clientId : `${issuer} ${clientId}`;
    const known = this.#leases.get(key);
    if (known?.quota === quota) return new RequestQuota(known);
    const leases = new ClientLeases({
      quota,
      label: isOwn ? clientId : issuer,
      object: () => quotaObject(this.#env, key),
    });
    this.#leases.set(key, leases);
    return new RequestQuota(leases);
  }
}

/** The quotas in an isolate with the bindings `env`. */
export const clientQuotasOf = memoByEnv((env: Env) => new IsolateQuotas(env));

/** The quota of clients that have none of their own; undefined if the settings name none. */
export function standardQuota(env: Env): Quota | undefined {
  const settings = authSettings.of(env);
  const quota: Quota = {
    requests: settings.FLORIN_QUOTA_REQUESTS,
    writes: settings.FLORIN_QUOTA_WRITES,
    elements: settings.FLORIN_QUOTA_ELEMENTS,
    streams: settings.FLORIN_QUOTA_STREAMS,
  };
  return isUnlimited(quota) ? undefined : quota;
}

/** The object that counts a client of this server, by its id. The name is a hash, so that it is short whatever the id is. */
export const quotaObject = (env: Env, key: string): QuotaStub =>
  objectAt(env, env.CLIENT_QUOTAS, createHash("sha256").update(key).digest("base64url"));
