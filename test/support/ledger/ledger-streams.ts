import { onTestFinished } from "vitest";
import { present } from "#platform/assert.ts";
import { parseJson } from "#platform/json.ts";
import { type SseBlock, SseReader } from "#scripts/listen/sse.ts";
import { BlockReader } from "#test/support/events/streams.ts";
import { api, type ApiInit } from "#test/support/platform/api.ts";

export interface LedgerStreamInit extends Pick<ApiInit, "token"> {
  readonly query?: string;
  readonly lastEventId?: string | undefined;
}

export const requestLedgerStream = (
  ledger: string,
  { query = "", lastEventId, ...init }: LedgerStreamInit = {},
): Promise<Response> =>
  api(`/api/florin/v1/ledgers/${ledger}/stream?${query}`, {
    ...init,
    headers: lastEventId === undefined ? {} : { "last-event-id": lastEventId },
  });

/** Opens a stream of a ledger, waits until it says where it begins, and closes it with the test. */
export async function openLedgerStream(
  ledger: string,
  init: LedgerStreamInit = {},
): Promise<{ from: string; reader: BlockReader }> {
  const response = await requestLedgerStream(ledger, init);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  const reader = new BlockReader(present(response.body, "a stream has a body"));
  onTestFinished(() => reader.cancel());
  const { id } = present(await reader.next(), "a stream begins with its position");
  return { from: present(id, "its position has an id"), reader };
}

/** The events with data that the log has now, by a stream that does not follow. */
export async function storedEvents(ledger: string, init: LedgerStreamInit): Promise<SseBlock[]> {
  const query = `${init.query ?? ""}&follow=false`;
  const response = await requestLedgerStream(ledger, { ...init, query });
  return [...new SseReader().push(await response.text())].filter(({ data }) => data !== undefined);
}

export interface ShownEntry {
  readonly id: number;
  readonly type: string;
}

export interface ShownBalance {
  readonly account: string;
  readonly asset: string;
  readonly input: number | bigint;
  readonly output: number | bigint;
  readonly balance: number | bigint;
  readonly logId: number;
}

/** The log entry of an event `entry`. */
export const entryOf = ({ data = "" }: SseBlock): ShownEntry => parseJson(data) as ShownEntry; // the data of this event

export const balancesOf = ({ data = "" }: SseBlock): readonly ShownBalance[] =>
  (parseJson(data) as { balances: ShownBalance[] }).balances; // the data of this event

/** Reads entries of a stream up to the one with an id; returns the ids of all. */
export async function entriesUpTo(reader: BlockReader, id: number): Promise<number[]> {
  const ids: number[] = [];
  while (ids.at(-1) !== id) {
    const block = await reader.nextData();
    if (block.event === "entry") ids.push(entryOf(block).id);
  }
  return ids;
}
