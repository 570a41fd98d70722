import { describe, expect, test } from "vitest";
import { type Connect, listenTo, type News } from "#scripts/listen/events.ts";

const blockOf = (sequence: number, id: string, payload: object = { ledger: "shop" }): string => {
  const body = { idempotency_key: "", date: "2026-03-01T09:30:00Z", type: "ledger.x", payload };
  return `id: ${sequence}\ndata: {"id":${JSON.stringify(id)},"event":${JSON.stringify(body)}}\n\n`;
};

/** The first news of a server whose connections send the given texts, or fail with the given errors. */
async function newsOf(
  count: number,
  connections: readonly (readonly (string | Error)[] | Error)[],
): Promise<{ news: News[]; ids: (string | undefined)[] }> {
  const ids: (string | undefined)[] = [];
  const connect: Connect = async (lastEventId) => {
    const connection = connections[ids.push(lastEventId) - 1];
    if (connection === undefined) throw new Error("no more connections");
    if (connection instanceof Error) throw connection;
    return (async function* () {
      for (const piece of connection) {
        if (piece instanceof Error) throw piece;
        yield piece;
      }
    })();
  };
  const news: News[] = [];
  const all = listenTo(connect);
  while (news.length < count) {
    news.push((await all.next()).value);
  }
  return { news, ids };
}

const shortOf = (news: readonly News[]): string[] =>
  news.map((item) => (item.kind === "event" ? item.event.id : item.kind));

describe("listening", () => {
  test("listening goes on behind the last event that was taken whole", async () => {
    const { news, ids } = await newsOf(6, [
      ["retry: 1000\nid: 4\n\n", blockOf(5, "a") + blockOf(6, "b").slice(0, 30), new Error("cut")],
      [blockOf(6, "b"), ": heartbeat\nid: 9\n\n"],
      [],
    ]);
    expect(shortOf(news)).toEqual([
      "connected",
      "a",
      "disconnected",
      "connected",
      "b",
      "disconnected",
    ]);
    expect(ids).toEqual([undefined, "5"]);
    expect(news[2]).toEqual({ kind: "disconnected", reason: "cut" });
  });

  test("listening gives a body as it was written, and each event once", async () => {
    const { news } = await newsOf(4, [
      [
        blockOf(1, '"event":,', { amount: 1.5 }),
        blockOf(2, "b"),
        blockOf(3, "b"),
        'event: gap\ndata: {"reason":"why"}\n\n',
      ],
    ]);
    expect(news[1]).toMatchObject({
      event: {
        id: '"event":,',
        ledger: "",
        type: "ledger.x",
        body: '{"idempotency_key":"","date":"2026-03-01T09:30:00Z","type":"ledger.x","payload":{"amount":1.5}}',
      },
    });
    expect(news[2]).toMatchObject({ event: { id: "b", ledger: "shop" } });
    expect(news[3]).toEqual({ kind: "gap", reason: "why" });
  });

  test("listening ends where the first connection fails, and only there", async () => {
    await expect(listenTo(async () => Promise.reject(new Error("refused"))).next()).rejects.toThrow(
      "refused",
    );
    const { news, ids } = await newsOf(5, [
      [blockOf(7, "a")],
      new Error("down"),
      new Error("down"),
      [],
    ]);
    expect(shortOf(news)).toEqual([
      "connected",
      "a",
      "disconnected",
      "disconnected",
      "disconnected",
    ]);
    expect(ids).toEqual([undefined, "7", "7"]);
  });
});
