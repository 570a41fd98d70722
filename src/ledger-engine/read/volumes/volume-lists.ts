import { VolumeRows } from "./volume-rows.ts";
import { lastDateOf } from "./volume-window.ts";
import type { ReadContext } from "#ledger-engine/read/scan/context.ts";
import { inSteps, type Steps, toEnd, type View, WHOLE } from "#ledger-engine/read/scan/steps.ts";
import { parseLedgerFilter } from "#ledger-engine/rules/filters/filters.ts";
import type { VolumeListOptions, VolumeRow } from "#ledger-engine/rules/reads.ts";
import { type Page, pageOf, type Scan, scanOf } from "#platform/paging/pagination.ts";
import { type ListOptions, type Order, type PageQuery } from "#platform/paging/query.ts";

/** Lists volumes by account and asset, or by groups of accounts. */
export class VolumeLists {
  readonly #context: ReadContext;

  constructor(context: ReadContext) {
    this.#context = context;
  }

  /** Throws `VALIDATION` for a bad filter, and for a period of a ledger that keeps no history of moves. */
  list(query: PageQuery): Page<VolumeRow> {
    return toEnd(this.#read(query, WHOLE));
  }

  /** `list` in steps that all see the same moment. */
  listInSteps(query: PageQuery): Steps<Page<VolumeRow>> {
    const { pit, oot } = query;
    const { insertionDate } = optionsOf(query.options);
    const basis = {
      until: lastDateOf({ pit, oot, insertionDate }),
      filter: parseLedgerFilter("volumes", query.where),
    };
    return inSteps(this.#context, basis, (view) => this.#read(query, view));
  }

  *#read(query: PageQuery, view: View): Steps<Page<VolumeRow>> {
    const { pit, oot, where } = query;
    const scan = scanOf(query);
    const start = scan.bound?.key.value.toString();
    const rows = new VolumeRows(this.#context, {
      ...(pit === undefined ? {} : { pit }),
      ...(oot === undefined ? {} : { oot }),
      ...(where === undefined ? {} : { where }),
      ...optionsOf(query.options),
      order: scan.order,
      // The assets of an account are in ascending order in both orders of accounts. Only a page that is read backwards
      // reverses them.
      assetOrder: query.kind === "column" && query.reverse ? "desc" : "asc",
      start: start === undefined ? undefined : accountOf(start),
      firstRows: scan.limit,
      view,
    });
    const keyOf = (row: VolumeRow): string => rowKey(row, query.order);
    return pageOf(query, yield* taken(rows.all(), scan, keyOf), {
      keyOf: (row) => ({ value: keyOf(row) }),
    });
  }
}

function optionsOf({ insertionDate, groupBy }: ListOptions = {}): VolumeListOptions {
  return {
    insertionDate: insertionDate === true,
    groupBy: typeof groupBy === "number" ? groupBy : 0,
  };
}

/**
 * A row as a text that sorts in the order of the list. The space sorts before all characters of addresses. If accounts are
 * in descending order, their assets are still in ascending order, so that the key contains the mirrored asset.
 */
function rowKey({ account, asset }: VolumeRow, order: Order): string {
  return `${account} ${order === "asc" ? asset : mirrored(asset)}`;
}

const accountOf = (key: string): string => key.split(" ", 1)[0] ?? "";

/**
 * A text whose order is the reverse of the order of the asset: each character is mirrored, and `~` marks the end. Assets
 * contain no space, whose mirror image is `~`.
 */
function mirrored(asset: string): string {
  const units = Array.from(asset, (character) => MIRROR - character.charCodeAt(0));
  return `${String.fromCharCode(...units)}~`;
}

/** The sum of a character and its mirror image: space and `~` are the first and the last printable character. */
const MIRROR = 0x20 + 0x7e;

/** Takes the rows of a page from `parts`, which begin with the first account of the page. */
function* taken(
  parts: Iterable<readonly VolumeRow[]>,
  { bound, order, offset, limit }: Scan,
  keyOf: (row: VolumeRow) => string,
): Steps<VolumeRow[]> {
  const rows: VolumeRow[] = [];
  let left = offset;
  for (const part of parts) {
    for (const row of part) {
      if (bound !== undefined && !isBeyond(keyOf(row), { bound, order })) continue;
      if (left-- > 0) continue;
      rows.push(row);
      if (rows.length === limit) return rows;
    }
    yield;
  }
  return rows;
}

function isBeyond(
  key: string,
  { bound, order }: { bound: NonNullable<Scan["bound"]>; order: Order },
): boolean {
  const { value } = bound.key;
  if (key === value) return bound.inclusive;
  return key > value.toString() === (order === "asc");
}
