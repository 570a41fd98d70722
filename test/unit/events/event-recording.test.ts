import { describe, expect, test } from "vitest";
import { isGap, type LiveEvent, type RingItem } from "#modules/events/core/event-ring.ts";
import { EventRecording } from "#modules/events/event-recording.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";

const eventOf = (id: string, body = `{"id":"${id} é"}`): LiveEvent => ({
  id,
  name: "ledger.saved_metadata",
  ledger: "shop",
  body,
});

/** The items that readers see. */
const shown = ({ ring }: EventRecording): RingItem[] =>
  [...ring.after(ring.floor)].map(({ item }) => item);

const idsOf = (recording: EventRecording): string[] =>
  shown(recording).map((item) => (isGap(item) ? "gap" : item.id));

function add(recording: EventRecording, ...items: RingItem[]): void {
  recording.add(items);
  recording.ring.show(recording.ring.last);
}

describe("a recording", () => {
  test("a recording of events is there again with all that it had", () => {
    const sql = new NodeSql();
    const first = new EventRecording(sql);
    expect(first.isOn).toBe(false);
    first.start(1000);
    add(first, eventOf("a"), { reason: "why" }, eventOf("b"));
    add(first, eventOf("a"), eventOf("c"));
    const again = new EventRecording(sql);
    expect([again.isOn, again.idleSinceMs]).toEqual([true, 1000]);
    expect(shown(again)).toEqual(shown(first));
    expect(idsOf(again)).toEqual(["a", "gap", "b", "c"]);
    expect([again.ring.last, again.ring.floor]).toEqual([first.ring.last, first.ring.floor]);
    add(again, eventOf("c"), eventOf("d"));
    expect(idsOf(again)).toEqual(["a", "gap", "b", "c", "d"]);
  });

  test("a recording of events knows after a restart whether somebody listened", () => {
    const sql = new NodeSql();
    const recording = new EventRecording(sql);
    recording.start(1000);
    add(recording, eventOf("a"));
    recording.setIdleSince(undefined);
    const again = new EventRecording(sql);
    expect([again.isOn, again.idleSinceMs, again.ring.last]).toEqual([true, undefined, 2]);
  });

  test("a recording of events is outrun once entries are dropped that the last reader has not seen", () => {
    const sql = new NodeSql();
    const recording = new EventRecording(sql);
    recording.start(1000);
    const large = (id: string): LiveEvent => eventOf(id, "x".repeat(450_000));
    const fill = (from: number, count: number): void => {
      for (let at = from; at < from + count; at++) add(recording, large(`${at}`));
    };
    // 35 events have 15.75 million characters; the limit is 16 million.
    fill(0, 35);
    expect(recording.isOutrun).toBe(false);
    recording.setIdleSince(undefined);
    fill(35, 20);
    recording.setIdleSince(2000);
    // The last reader has seen number 56 at most, so the ring drops the events up to 56 first.
    fill(55, 35);
    expect([recording.ring.floor, recording.isOutrun]).toEqual([56, false]);
    fill(90, 1);
    expect([recording.ring.floor, recording.isOutrun]).toEqual([57, true]);
    // After a restart it is unknown which events the last reader has seen, so all stored ones count as read.
    expect(new EventRecording(sql).isOutrun).toBe(false);
    recording.stop();
    recording.start(3000);
    expect(recording.isOutrun).toBe(false);
  });

  test("a recording of events that was off in between never uses a number twice, and owns up to the gap", () => {
    const sql = new NodeSql();
    let recording = new EventRecording(sql);
    recording.start(0);
    add(recording, eventOf("a"), eventOf("b"));
    const { last } = recording.ring;
    recording.stop();
    recording = new EventRecording(sql);
    expect([recording.isOn, idsOf(recording), recording.ring.last]).toEqual([false, [], last]);
    recording.start(0);
    recording = new EventRecording(sql);
    expect(recording.ring.positionAfter(String(last)).gap).toContain("no longer stored");
    const { sequence } = recording.ring.positionAfter(undefined);
    expect(sequence).toBe(last + 1);
    add(recording, eventOf("a"));
    expect(recording.ring.positionAfter(String(sequence)).gap).toBeUndefined();
    expect(idsOf(recording)).toEqual(["a"]);
  });

  test("a recording of events has a gap for a body that is too long", () => {
    const recording = new EventRecording(new NodeSql());
    recording.start(0);
    add(recording, eventOf("a", `"${"x".repeat(500_000)}"`), eventOf("b"));
    const [gap] = shown(recording);
    expect(gap !== undefined && isGap(gap) ? gap.reason : "").toContain("the event a, ledger.");
    expect(idsOf(recording)).toEqual(["gap", "b"]);
  });

  test("a recording of events drops what it can't keep, in storage as well", () => {
    const sql = new NodeSql();
    const recording = new EventRecording(sql);
    recording.start(0);
    for (let batch = 0; batch < 21; batch++) {
      add(recording, ...Array.from({ length: 500 }, (_, at) => eventOf(`${batch}-${at}`)));
    }
    expect(idsOf(recording)).toHaveLength(10_000);
    expect(sql.all("SELECT count(*) AS rows FROM entry")).toEqual([{ rows: 10_000 }]);
    expect(idsOf(new EventRecording(sql))).toEqual(idsOf(recording));
  });

  test("a recording of events has what is stored where storing fails", () => {
    const sql = new NodeSql();
    const recording = new EventRecording(sql);
    recording.start(0);
    add(recording, eventOf("a"));
    sql.all("CREATE TRIGGER full BEFORE INSERT ON entry BEGIN SELECT raise(abort, 'full'); END");
    expect(() => recording.add([eventOf("b")])).toThrow("full");
    sql.all("DROP TRIGGER full");
    add(recording, eventOf("b"));
    expect(idsOf(recording)).toEqual(["a", "b"]);
    expect(idsOf(new EventRecording(sql))).toEqual(["a", "b"]);
  });
});
