import { z } from "zod";
import type { FetchPage, PaymentPage, PluginStore } from "#modules/payments/connectors/contract.ts";
import type { ProviderPayment } from "#modules/payments/connectors/provider-objects.ts";

/** Most movements of one account that are asked for in one run. */
const OPEN_MAX = 1000;
/** How many of them are asked for in one page: each takes a request. */
const CHECKS_MAX = 10;

/** Where a round stands that asks what has become of the movements of an account. */
const Round = z.object({
  /** The movements that this round still asks for. */
  unchecked: z.array(z.string()).default([]),
  /** Those that have ended, and that are forgotten as soon as this is stored. */
  ended: z.array(z.string()).default([]),
});
type Round = z.output<typeof Round>;

const State = z.object({
  list: z.unknown().optional(),
  round: Round.default({ unchecked: [], ended: [] }),
});

export interface OpenFetch {
  /** The account whose payments are fetched. */
  readonly account: string;
  readonly state: unknown;
  /** A page of what the provider lists, with the state of that list. */
  readonly readList: (state: unknown) => Promise<FetchPage<ProviderPayment>>;
  /** What has become of a movement; undefined where it goes on. */
  readonly endOf: (id: string) => Promise<ProviderPayment | "gone" | undefined>;
}

/**
 * The movements that were made here and have not ended, where the provider's lists show only those that succeed: whether one has failed is
 * asked for by its id.
 */
export class OpenMovements {
  readonly #store: PluginStore;

  constructor(store: PluginStore) {
    this.#store = store;
  }

  /** Remembers a movement from an account. It may be called again for the same one. */
  async add(account: string, id: string): Promise<void> {
    await this.#store.insert({ name: nameOf(account, id), value: id });
  }

  /** One page of the payments of an account: first what the provider lists, and then how movements have ended. */
  async fetch({ account, state, readList, endOf }: OpenFetch): Promise<PaymentPage> {
    const { list, round } = State.parse(state ?? {});
    if (round.unchecked.length > 0) {
      const { items, next } = await this.#check(account, round, endOf);
      return { items, state: { list, round: next }, hasMore: next.unchecked.length > 0 };
    }
    const page = await readList(list);
    const next = page.hasMore ? round : await this.#open(account, round);
    const hasMore = page.hasMore || next.unchecked.length > 0;
    return { ...page, state: { list: page.state, round: next }, hasMore };
  }

  /** What a round begins with. */
  async #open(account: string, { ended }: Round): Promise<Round> {
    const texts = await this.#store.list(prefixOf(account));
    const ids = texts.map(({ value }) => value).filter((id) => !ended.includes(id));
    return { ended, unchecked: ids.slice(0, OPEN_MAX) };
  }

  /** Asks for some of those of the round, and forgets those that had ended before. */
  async #check(
    account: string,
    { unchecked, ended }: Round,
    endOf: OpenFetch["endOf"],
  ): Promise<{ readonly items: readonly ProviderPayment[]; readonly next: Round }> {
    for (const id of ended) await this.#store.remove(nameOf(account, id));
    const items: ProviderPayment[] = [];
    const endedNow: string[] = [];
    for (const id of unchecked.slice(0, CHECKS_MAX)) {
      const end = await endOf(id);
      if (end === undefined) continue;
      endedNow.push(id);
      if (end !== "gone") items.push(end);
    }
    return { items, next: { unchecked: unchecked.slice(CHECKS_MAX), ended: endedNow } };
  }
}

const prefixOf = (account: string): string => `open-movement/${encodeURIComponent(account)}/`;

/** Ends with a slash, so that no name is the beginning of another one. */
const nameOf = (account: string, id: string): string =>
  `${prefixOf(account)}${encodeURIComponent(id)}/`;
