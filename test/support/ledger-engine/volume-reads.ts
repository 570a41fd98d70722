import {
  at,
  create,
  posting,
  setMetadata,
  TestLedger,
  type TestLedgerOptions,
} from "./fixtures.ts";
import type { VolumeRow } from "#ledger-engine/rules/reads.ts";
import { stringifyJson } from "#platform/json.ts";
import { decodeCursor } from "#platform/paging/cursor.ts";
import { type Page } from "#platform/paging/pagination.ts";
import { type ListOptions, type PageQuery } from "#platform/paging/query.ts";

export const NO_OPTIONS = { insertionDate: false, groupBy: 0 };
const RULES = { columns: { account: "text" }, options: NO_OPTIONS, pageSizeMax: 1000 } as const;

/** The options of a list of volumes, which by default is the whole list. */
export interface VolumesWanted {
  readonly where?: object;
  readonly from?: string;
  readonly to?: string;
  readonly options?: ListOptions;
  readonly order?: "asc" | "desc";
  readonly pageSize?: number;
}

const queryOf = ({
  where,
  from,
  to,
  options = NO_OPTIONS,
  order = "asc",
  pageSize = 100,
}: VolumesWanted) =>
  ({
    kind: "column",
    column: "account",
    order,
    pageSize,
    reverse: false,
    options,
    ...(from === undefined ? {} : { oot: at(from) }),
    ...(to === undefined ? {} : { pit: at(to) }),
    ...(where === undefined ? {} : { where: stringifyJson(where) }),
  }) satisfies PageQuery;

export const volumeText = ({ account, asset, input, output }: VolumeRow): string =>
  `${account} ${asset} ${input}/${output}`;

/** The rows of a list as `account asset input/output`. */
export const volumeRows = (ledger: TestLedger, wanted: VolumesWanted = {}): string[] =>
  ledger.engine.reads.listVolumes(queryOf(wanted)).data.map(volumeText);

/** Reads all pages to the last one and back. */
export function walkVolumes(
  ledger: TestLedger,
  wanted: VolumesWanted,
): { forward: string[][]; backward: string[][] } {
  const read = (query: PageQuery): Page<VolumeRow> => ledger.engine.reads.listVolumes(query);
  const forward: string[][] = [];
  const backward: string[][] = [];
  let page = read(queryOf(wanted));
  forward.push(page.data.map(volumeText));
  while (page.next !== undefined) {
    page = read(decodeCursor(page.next, RULES));
    forward.push(page.data.map(volumeText));
    if (forward.length > PAGES_MAX) throw new Error("the walk forward does not end");
  }
  while (page.previous !== undefined) {
    page = read(decodeCursor(page.previous, RULES));
    backward.push(page.data.map(volumeText));
    if (backward.length > PAGES_MAX) throw new Error("the walk back does not end");
  }
  return { forward, backward };
}

/** The most pages of a walk in these tests. */
const PAGES_MAX = 1000;

/** A ledger with movements from the first to the third of January, inserted in another order. */
export function datedVolumes(options: TestLedgerOptions = {}): TestLedger {
  const ledger = new TestLedger(options);
  const day = (text: string) => ({ timestamp: at(`2025-01-0${text}Z`) });
  ledger.commit(
    create(
      [posting("world -> account:user1", 100), posting("world -> account:user2", 50)],
      day("1T00:00:00"),
    ),
  );
  ledger.commit(create(posting("account:user1 -> bank:fees", 10), day("2T00:00:00")));
  ledger.commit(create(posting("world -> account:user1", 7, "EUR"), day("3T00:00:00")));
  ledger.commit(create(posting("account:user2 -> account:user1", 20), day("1T12:00:00")));
  ledger.run(setMetadata("account:user1", { vip: "yes" }));
  return ledger;
}

export const DATED_ROWS = [
  "account:user1 EUR 7/0",
  "account:user1 USD 120/10",
  "account:user2 USD 50/20",
  "bank:fees USD 10/0",
  "world EUR 0/7",
  "world USD 0/150",
];
