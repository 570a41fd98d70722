import { z } from "zod";
import type { FetchPage, PaymentPage, PluginStore } from "#modules/payments/connectors/contract.ts";
import type { ProviderPayment } from "#modules/payments/connectors/provider-objects.ts";

/** Most movements of one account that are checked in one run, in the order of their ids. Movements behind them wait until earlier ones have ended. */
const OPEN_MAX = 1000;
/** Most movements that are checked in one page. Each check takes a request. */
const CHECKS_MAX = 10;

/** The progress of a round, which checks the open movements of an account. */
const Round = z.object({
  /** The movements that the round has still to check. */
  unchecked: z.array(z.string()).default([]),
  /** The movements that have ended. The next check removes them from the store, since this state is stored by then. */
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
  /** Fetches a page of the provider's list of payments, from the state of that list. */
  readonly readList: (state: unknown) => Promise<FetchPage<ProviderPayment>>;
  /**
   * The payment of a movement that has ended; "gone" for a movement that the provider does not know any more; undefined for an open one.
   */
  readonly endOf: (id: string) => Promise<ProviderPayment | "gone" | undefined>;
}

/**
 * The movements of this connector that have not ended, for providers whose lists show only successful payments. Whether a movement has failed
 * is requested by its id:
 *
 *     pages of the list ─► round: up to 10 checks a page ─► end of the run
 */
export class OpenMovements {
  readonly #store: PluginStore;

  constructor(store: PluginStore) {
    this.#store = store;
  }

  /** Adds a movement of an account. A repeated call changes nothing, or has a movement that has ended meanwhile reported once more. */
  async add(account: string, id: string): Promise<void> {
    await this.#store.insert({ name: nameOf(account, id), value: id });
  }

  /**
   * One page of the payments of an account: first the pages of the provider's list, then the open movements that have ended. A movement is removed
   * only when a later page is fetched with the state of this one, so that a page that was not stored is fetched again. Throws what `readList`
   * and `endOf` throw.
   */
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

  /** The beginning of a round: the open movements without those that have just ended. */
  async #open(account: string, { ended }: Round): Promise<Round> {
    const texts = await this.#store.list(prefixOf(account));
    const ids = texts.map(({ value }) => value).filter((id) => !ended.includes(id));
    return { ended, unchecked: ids.slice(0, OPEN_MAX) };
  }

  /** Checks some movements of the round, and removes the movements that ended before. */
  async #check(
    account: string,
    { unchecked, ended }: Round,
    endOf: OpenFetch["endOf"],
  ): Promise<{ readonly items: readonly ProviderPayment[]; readonly next: Round }> {
    for (const id of ended) await this.#store.removeByPrefix(nameOf(account, id));
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

/** The name of a movement in the store. It ends with a slash, so that no name is a prefix of another name. */
const nameOf = (account: string, id: string): string =>
  `${prefixOf(account)}${encodeURIComponent(id)}/`;
