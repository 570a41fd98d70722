import { afterEach, describe, expect, test, vi } from "vitest";
import {
  FairGate,
  type GateLimits,
  type Payer,
  type Ticket,
} from "#platform/admission/fair-gate.ts";

const LIMITS: GateLimits = {
  total: 8,
  alone: 6,
  shared: 3,
  waitingOfGroup: 4,
  waiting: 6,
  waitMs: 60_000,
  leaseMs: 1000,
};

const at = (group: string, member = "only"): Payer => ({ group, member });
const gateWith = (limits: Partial<GateLimits> = {}, nowMs = () => 0) =>
  new FairGate("exports", { ...LIMITS, ...limits }, nowMs);

/** Takes places until a payer would have to wait; returns the tickets. */
function takeAll(gate: FairGate, payer: Payer): Ticket[] {
  const taken: Ticket[] = [];
  for (;;) {
    try {
      const ticket = gate.enter(payer);
      if (ticket instanceof Promise) throw new Error("it waits");
      taken.push(ticket);
    } catch {
      return taken;
    }
  }
}

describe("a fair gate", () => {
  test("a fair gate gives one group all but the reserve while it is alone, and its share while others are there", () => {
    const gate = gateWith({ waitingOfGroup: 0 });
    const held = takeAll(gate, at("a"));
    expect(held).toHaveLength(6);
    // The reserve is left for other payers.
    expect(takeAll(gate, at("b"))).toHaveLength(2);
    for (const ticket of held.slice(0, 3)) ticket.release();
    expect(() => gate.enter(at("a"))).toThrow(
      expect.objectContaining({ kind: "RATE_LIMITED", retryAfterSeconds: 1 }),
    );
    expect(takeAll(gate, at("b"))).toHaveLength(1);
  });

  test("a fair gate gives a member half of its group's places while another member of the group is there", () => {
    const gate = gateWith({ waitingOfGroup: 0 });
    const first = gate.enter(at("a", "ada")) as Ticket;
    expect(takeAll(gate, at("a", "eve"))).toHaveLength(3);
    first.release();
    expect(takeAll(gate, at("a", "eve"))).toHaveLength(3);
  });

  test("a fair gate bounds a group of a thousand members as one with a single member", () => {
    const gate = gateWith({ waitingOfGroup: 0 });
    const members = Array.from({ length: 1000 }, (_, index) => at("a", `user-${index}`));
    expect(members.flatMap((member) => takeAll(gate, member))).toHaveLength(6);
    expect(gate.load).toMatchObject({ active: 6, waiting: 0 });
    expect(gate.load.payers).toBeLessThanOrEqual(6);
  });

  test("a fair gate gives free places in turns, to groups and to the members of a group", async () => {
    const gate = gateWith({ total: 1, alone: 1, shared: 1 });
    const first = gate.enter(at("a", "one")) as Ticket;
    const order: string[] = [];
    const wait = async (group: string, member: string) => {
      const ticket = await gate.enter(at(group, member));
      order.push(`${group} ${member}`);
      ticket.release();
    };
    const all = [
      wait("a", "one"),
      wait("a", "one"),
      wait("a", "two"),
      wait("b", "one"),
      wait("b", "one"),
    ];
    first.release();
    await Promise.all(all);
    expect(order).toEqual(["a one", "b one", "a two", "b one", "a one"]);
    expect(gate.load).toEqual({ active: 0, waiting: 0, payers: 0 });
  });

  test("a fair gate refuses what its queues have no room for, of a group and of all", () => {
    const gate = gateWith({ total: 1, alone: 1, shared: 1 });
    void gate.enter(at("a"));
    const wait = (group: string) => void (gate.enter(at(group)) as Promise<Ticket>);
    for (let count = 0; count < 4; count++) wait("a");
    expect(() => gate.enter(at("a"))).toThrow("too many exports");
    wait("b");
    wait("c");
    expect(() => gate.enter(at("d"))).toThrow("too many exports");
    expect(gate.load).toMatchObject({ active: 1, waiting: 6, payers: 3 });
  });

  test("a fair gate refuses who has waited too long, and keeps nothing of them", async () => {
    const gate = gateWith({ total: 1, alone: 1, shared: 1, waitMs: 1 });
    const first = gate.enter(at("a")) as Ticket;
    await expect(gate.enter(at("b"))).rejects.toMatchObject({ kind: "RATE_LIMITED" });
    expect(gate.load).toEqual({ active: 1, waiting: 0, payers: 1 });
    first.release();
    first.release();
    expect(gate.load).toEqual({ active: 0, waiting: 0, payers: 0 });
  });

  test("a fair gate takes a place back whose holder went away without a word", () => {
    let nowMs = 0;
    const gate = gateWith({ waitingOfGroup: 0 }, () => nowMs);
    expect(takeAll(gate, at("a"))).toHaveLength(6);
    nowMs = 999;
    expect(takeAll(gate, at("a"))).toHaveLength(0);
    nowMs = 1000;
    expect(takeAll(gate, at("a"))).toHaveLength(6);
  });
});

describe("a queue on a busy thread", () => {
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  test("a queue on a busy thread lets its first waiter go in time, although those behind it leave sooner", async () => {
    vi.useFakeTimers();
    const ring = globalThis.setTimeout;
    const LATE_MS = 24;
    vi.spyOn(globalThis, "setTimeout").mockImplementation((handler, ms = 0) =>
      ring(handler, ms + LATE_MS),
    );
    const limits = { alone: 1, waitingOfGroup: 100, waiting: 100, waitMs: 5000 };
    const gate = gateWith(limits, () => Date.now());
    await gate.enter(at("a"));
    const sinceMs = Date.now();
    const waits = Array.from({ length: 100 }, async () => {
      await expect(gate.enter(at("a"))).rejects.toMatchObject({ kind: "RATE_LIMITED" });
      return Date.now() - sinceMs;
    });
    await vi.advanceTimersByTimeAsync(30_000);
    expect(gate.load).toMatchObject({ active: 1, waiting: 0 });
    for (const waitMs of await Promise.all(waits)) expect(waitMs).toBeLessThanOrEqual(5600);
  });
});
