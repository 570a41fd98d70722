import { groupOf, GroupWalk, rangesOfGroup } from "./volume-groups.ts";
import { VolumeWindow } from "./volume-window.ts";
import type { Candidate } from "#ledger-engine/read/accounts/account-filter.ts";
import { pathsOf, sortedRanges } from "#ledger-engine/read/accounts/account-paths.ts";
import { type AccountQuery, AccountSearch } from "#ledger-engine/read/accounts/account-search.ts";
import {
  byAccount,
  type Holding,
  type HoldingBatch,
} from "#ledger-engine/read/scan/account-volumes.ts";
import type { ReadContext } from "#ledger-engine/read/scan/context.ts";
import type { View } from "#ledger-engine/read/scan/steps.ts";
import { type LedgerFilter, parseLedgerFilter } from "#ledger-engine/rules/filters/filters.ts";
import type { VolumeRow } from "#ledger-engine/rules/reads.ts";
import type { Volumes } from "#ledger-engine/rules/types.ts";
import type { ListScope, Order } from "#platform/paging/query.ts";

export interface VolumeQuery extends Pick<ListScope, "pit" | "oot" | "where"> {
  readonly insertionDate: boolean;
  /** The number of segments of a group's name; 0 or less for no groups. */
  readonly groupBy: number;
  /** The order of the accounts or groups. */
  readonly order: Order;
  /** The order of the assets of each account or group. */
  readonly assetOrder: Order;
  /** The account or group to start with, if it exists. */
  readonly start: string | undefined;
  /** The number of rows that may be enough. */
  readonly firstRows: number;
  readonly view: View;
}

/** The volumes of an account or of a group, by the ids of their assets. */
interface Block {
  readonly account: string;
  readonly volumes: readonly (Volumes & { readonly asset: number })[];
}

/** The number of groups that are read together, at first and at most. */
const GROUPS_FIRST = 16;
const GROUPS_MAX = 1000;
/** If a filter leaves at most this many accounts, all of them are read at once to sum up their groups. */
const GROUPED_MAX = 5000;

/** Reads rows of volumes in order. It reads on only as far as its caller does. */
export class VolumeRows {
  readonly #context: ReadContext;
  readonly #query: VolumeQuery;
  readonly #filter: LedgerFilter | undefined;
  readonly #window: VolumeWindow;

  /** Throws `VALIDATION` for a bad filter, and for a period of a ledger that keeps no history of moves. */
  constructor(context: ReadContext, query: VolumeQuery) {
    const { pit, oot, insertionDate, view } = query;
    this.#context = context;
    this.#query = query;
    this.#filter = parseLedgerFilter("volumes", query.where);
    this.#window = new VolumeWindow(context, { pit, oot, insertionDate }, view.now);
  }

  /** The rows, in parts. An empty part is a step in which no row was found. */
  *all(): Generator<VolumeRow[]> {
    for (const blocks of this.#blocks()) yield this.#toRows(blocks);
  }

  #blocks(): Generator<Block[]> {
    if (this.#query.groupBy <= 0) return this.#accounts();
    const search = this.#search({ column: "address", order: "asc", firstRows: undefined });
    return search.isWithin(GROUPED_MAX) ? this.#groupsOf(search) : this.#groups();
  }

  /** The volumes of each account, for lists without groups. */
  *#accounts(): Generator<Block[]> {
    const { order, start, firstRows } = this.#query;
    const bound = start === undefined ? {} : { bound: { key: { value: start }, inclusive: true } };
    const search = this.#search({ column: "address", order, firstRows, ...bound });
    for (const { found } of search.candidates()) {
      const addresses = new Map(found.map(({ row }) => [row.id, row.address ?? ""]));
      for (const batch of this.#matches(search, found)) {
        const held = byAccount(batch);
        yield batch.accounts.flatMap((id) => {
          const volumes = held.get(id);
          return volumes === undefined ? [] : { account: addresses.get(id) ?? "", volumes };
        });
      }
      yield [];
    }
  }

  /** The groups of the few accounts that a search finds. */
  *#groupsOf(search: AccountSearch): Generator<Block[]> {
    const { order, start } = this.#query;
    const isAscending = order === "asc";
    const sums = new Map<string, GroupSum>();
    yield* this.#addUp(search, (group) => {
      const sum = sums.get(group) ?? new GroupSum();
      sums.set(group, sum);
      return sum;
    });
    yield [...sums]
      .filter(([name]) => start === undefined || (isAscending ? name >= start : name <= start))
      .toSorted(([a], [b]) => (a < b === isAscending ? -1 : 1))
      .map(([account, sum]) => ({ account, volumes: sum.volumes() }));
  }

  /** All groups in order, in parts. */
  *#groups(): Generator<Block[]> {
    const { order, start, groupBy } = this.#query;
    const path = pathsOf(this.#filter).find(({ kind }) => kind === "addresses");
    const walk = new GroupWalk(this.#context.sql, { segments: groupBy, order, start, path });
    const sizeMax = Math.min(GROUPS_MAX, this.#query.view.rowsMax ?? GROUPS_MAX);
    for (let size = GROUPS_FIRST; ; size = Math.min(2 * size, sizeMax)) {
      const names = walk.next(size);
      if (names.length === 0) return;
      const within = sortedRanges(names.flatMap((name) => rangesOfGroup(name, groupBy)));
      const search = this.#search({
        column: "address",
        order: "asc",
        firstRows: undefined,
        within,
      });
      const sums = new Map(names.map((name) => [name, new GroupSum()]));
      yield* this.#addUp(search, (group) => sums.get(group));
      yield Array.from(sums, ([account, sum]) => ({ account, volumes: sum.volumes() }));
    }
  }

  /** Adds all matching holdings of a search to the sums of their groups. */
  *#addUp(
    search: AccountSearch,
    sumOf: (group: string) => GroupSum | undefined,
  ): Generator<Block[]> {
    for (const { found } of search.candidates()) {
      const groups = new Map(
        found.map(({ row }) => [row.id, groupOf(row.address ?? "", this.#query.groupBy)]),
      );
      for (const { holdings } of this.#matches(search, found)) {
        for (const holding of holdings) sumOf(groups.get(holding.account) ?? "")?.add(holding);
      }
      yield [];
    }
  }

  /** The holdings of candidates that match on their own. */
  *#matches(search: AccountSearch, candidates: readonly Candidate[]): Generator<HoldingBatch> {
    const byId = new Map(candidates.map((candidate) => [candidate.row.id, candidate]));
    for (const batch of this.#window.batches([...byId.keys()], search.rows)) {
      const holdings = batch.holdings.filter((holding) => {
        const candidate = byId.get(holding.account);
        return candidate !== undefined && search.isMatch(candidate, holding);
      });
      yield { ...batch, holdings };
    }
  }

  #search(query: Pick<AccountQuery, "column" | "order" | "firstRows" | "bound" | "within">) {
    const { pit, oot, view } = this.#query;
    const { now: asOf, rowsMax } = view;
    const isPeriod = pit !== undefined || oot !== undefined;
    const scope = { filter: this.#filter, pit, asOf, isPeriod, rowsMax };
    return new AccountSearch(this.#context, { ...query, ...scope });
  }

  #toRows(blocks: readonly Block[]): VolumeRow[] {
    const assets = blocks.flatMap(({ volumes }) => volumes.map(({ asset }) => asset));
    const names = this.#context.names.prefetch({ assets });
    const isAscending = this.#query.assetOrder === "asc";
    return blocks.flatMap(({ account, volumes }) =>
      volumes
        .map(({ asset, input, output }) => ({ account, asset: names.asset(asset), input, output }))
        .toSorted((a, b) => (a.asset < b.asset === isAscending ? -1 : 1)),
    );
  }
}

/** The sums of the volumes of a group. */
class GroupSum {
  readonly #volumes = new Map<number, Volumes>();

  add({ asset, input, output }: Holding): void {
    const sum = this.#volumes.get(asset);
    this.#volumes.set(asset, {
      input: (sum?.input ?? 0n) + input,
      output: (sum?.output ?? 0n) + output,
    });
  }

  volumes(): Block["volumes"] {
    return Array.from(this.#volumes, ([asset, volumes]) => ({ asset, ...volumes }));
  }
}
