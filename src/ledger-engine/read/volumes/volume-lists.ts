import { VolumeRows } from "./volume-rows.ts";
import type { ReadContext } from "#ledger-engine/read/scan/context.ts";
import type { VolumeListOptions, VolumeRow } from "#ledger-engine/rules/reads.ts";
import {
  type ListOptions,
  type Order,
  type Page,
  type PageQuery,
  pageOf,
  type Scan,
  scanOf,
} from "#platform/paging/pagination.ts";

/** Lists volumes by account and asset, or by groups of accounts. */
export class VolumeLists {
  readonly #context: ReadContext;

  constructor(context: ReadContext) {
    this.#context = context;
  }

  /** Throws `VALIDATION` for a bad filter, and for a period of a ledger without history of moves. */
  list(query: PageQuery): Page<VolumeRow> {
    const { pit, oot, where } = query;
    const scan = scanOf(query);
    const start = scan.bound?.key.value.toString();
    const rows = new VolumeRows(this.#context, {
      ...(pit === undefined ? {} : { pit }),
      ...(oot === undefined ? {} : { oot }),
      ...(where === undefined ? {} : { where }),
      ...optionsOf(query.options),
      order: scan.order,
      // The assets of an account are in their order whatever that of the accounts is; only the way back goes against it.
      assetOrder: query.kind === "column" && query.reverse ? "desc" : "asc",
      start: start === undefined ? undefined : accountOf(start),
      firstRows: scan.limit,
    });
    const keyOf = (row: VolumeRow): string => rowKey(row, query.order);
    return pageOf(query, taken(rows.all(), scan, keyOf), {
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
 * A row as a text that sorts as the list does: a space comes before all characters of addresses. Where accounts are in
 * descending order, their assets still are in ascending order, so that these are written mirrored.
 */
function rowKey({ account, asset }: VolumeRow, order: Order): string {
  return `${account} ${order === "asc" ? asset : mirrored(asset)}`;
}

const accountOf = (key: string): string => key.split(" ", 1)[0] ?? "";

/** A text that sorts before another one where its original sorts behind. Assets have no space, which would be as the end. */
function mirrored(asset: string): string {
  const units = Array.from(asset, (character) => MIRROR - character.charCodeAt(0));
  return `${String.fromCharCode(...units)}~`;
}

/** A space and `~`, the first and the last printable character. */
const MIRROR = 0x20 + 0x7e;

/** The rows of a scan, from those of its first account on. */
function taken(
  parts: Iterable<readonly VolumeRow[]>,
  { bound, order, offset, limit }: Scan,
  keyOf: (row: VolumeRow) => string,
): VolumeRow[] {
  const rows: VolumeRow[] = [];
  let left = offset;
  for (const part of parts) {
    for (const row of part) {
      if (bound !== undefined && !isBeyond(keyOf(row), { bound, order })) continue;
      if (left-- > 0) continue;
      rows.push(row);
      if (rows.length === limit) return rows;
    }
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
