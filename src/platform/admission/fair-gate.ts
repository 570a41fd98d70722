import { AppError } from "#platform/errors.ts";

/** The payer of work: a group, which is a client or all strangers together, and the acting member of this group. */
export interface Payer {
  readonly group: string;
  readonly member: string;
}

/** The limits of a gate for one kind of work. */
export interface GateLimits {
  /** Most work under way at once. */
  readonly total: number;
  /** Most work of one group under way while no other group has work. The rest of the total is a reserve for the next group. */
  readonly alone: number;
  /** Most work of one group under way while other groups have work. */
  readonly shared: number;
  /** Most work of one group that waits for its turn; 0 to refuse such work at once. */
  readonly waitingOfGroup: number;
  /** Most work of all groups that waits. */
  readonly waiting: number;
  /** Longest wait, in milliseconds. */
  readonly waitMs: number;
  /** Time after which a ticket counts as released, in milliseconds: the edge may end a request without telling the isolate. */
  readonly leaseMs: number;
}

/** The right to do one piece of work. */
export interface Ticket {
  /** Ends the right. Further calls have no effect. */
  release(): void;
  /** Shows that work which lasts is still under way; absent for tickets that need no sign of life. */
  readonly keep?: () => void;
}

/**
 * Admits work of one kind: fair queueing by round robin (J. Nagle, "On Packet Switches with Infinite Storage", RFC 970), over groups and
 * then over the members of a group.
 *
 *     payer ─► place free? ── yes ──────────────────────────► Ticket, until release() or leaseMs
 *                  │ no                                         ▲
 *                  ├─► room in the group's queue? ─ wait ─ turn ┘
 *                  │            │ no          └─ waitMs over ─┐
 *                  └────────────┴──────────────────────────────┴─► RATE_LIMITED
 *
 * The places of a group, with the parts that `work-kinds.ts` gives:
 *
 *     total   |████████████████|   all groups together
 *     alone   |██████████████  |   one group, while no other group has work
 *     shared  |██████          |   one group, while other groups have work
 *     member  |███             |   one member, while other members of its group have work: half of the group's places
 *
 * A payer without work, under way or waiting, takes no memory.
 */
export class FairGate {
  readonly #limits: GateLimits;
  readonly #nowMs: () => number;
  /** One error for all refusals: there may be thousands at once, and their stacks are of no interest. */
  readonly #refusal: AppError;
  readonly #groups = new Map<string, Group>();
  /** Groups with waiting work, in the order of their turns. */
  readonly #turns = new Set<Group>();
  /** Unreleased tickets, oldest first. */
  readonly #tickets = new Set<HeldTicket>();
  #waiting = 0;

  /** `name` names the work in refusals: `exports`. */
  constructor(name: string, limits: GateLimits, nowMs: () => number = () => Date.now()) {
    this.#limits = limits;
    this.#nowMs = nowMs;
    this.#refusal = new AppError(
      "RATE_LIMITED",
      `too many ${name} of this caller are under way; try again later`,
      { retryAfterSeconds: RETRY_SECONDS, refusedBy: "admission" },
    );
  }

  /** Work under way, waiting work, and payers in memory. */
  get load(): { readonly active: number; readonly waiting: number; readonly payers: number } {
    let payers = 0;
    for (const { members } of this.#groups.values()) payers += members.size;
    return { active: this.#tickets.size, waiting: this.#waiting, payers };
  }

  /**
   * Takes a place: at once if one is free, and otherwise after a wait in the queue. Throws `RATE_LIMITED`, or rejects with it after the
   * wait.
   */
  enter(payer: Payer): Ticket | Promise<Ticket> {
    const member = this.#memberOf(payer);
    if (this.#isFree(member)) return this.#grant(member);
    return this.#reclaim() ? this.enter(payer) : this.#waitIfShort(member);
  }

  #waitIfShort(member: Member): Promise<Ticket> {
    const { waiting, waitingOfGroup } = this.#limits;
    if (this.#waiting < waiting && member.group.waiting < waitingOfGroup) return this.#wait(member);
    this.#forget(member);
    throw this.#refusal;
  }

  #memberOf({ group: groupKey, member: memberKey }: Payer): Member {
    let group = this.#groups.get(groupKey);
    if (group === undefined) {
      group = { key: groupKey, members: new Map(), turns: new Set(), active: 0, waiting: 0 };
      this.#groups.set(groupKey, group);
    }
    let member = group.members.get(memberKey);
    if (member === undefined) {
      member = { key: memberKey, group, active: 0, queue: undefined, queued: 0, left: 0 };
      group.members.set(memberKey, member);
    }
    return member;
  }

  #isFree({ group, active }: Member): boolean {
    if (this.#tickets.size >= this.#limits.total) return false;
    const most = this.#groups.size > 1 ? this.#limits.shared : this.#limits.alone;
    if (group.active >= most) return false;
    return active < (group.members.size > 1 ? Math.ceil(most / 2) : most);
  }

  #grant(member: Member): HeldTicket {
    const ticket = new HeldTicket(this.#nowMs(), () => this.#giveBack(ticket, member));
    member.active++;
    member.group.active++;
    this.#tickets.add(ticket);
    return ticket;
  }

  #giveBack(ticket: HeldTicket, member: Member): void {
    if (!this.#tickets.delete(ticket)) return;
    member.active--;
    member.group.active--;
    this.#forget(member);
    if (this.#waiting > 0) this.#admitWaiting();
  }

  /**
   * Polls for a ticket with timers of its own: a promise that another request resolves would continue in the context of the other request,
   * which the runtime does not allow. A waiter that has stopped polling belongs to a request that was broken off.
   */
  async #wait(member: Member): Promise<Ticket> {
    const sinceMs = this.#nowMs();
    const waiter: Waiter = { number: member.queued++, seenMs: sinceMs, ticket: undefined };
    this.#enqueue(member, waiter);
    for (let waitedMs = 0; waitedMs < this.#limits.waitMs;) {
      // Waiters that came later may have left sooner.
      const before = Math.max(0, waiter.number - member.left);
      const pauseMs = Math.min(LOOK_MS_MIN + before * LOOK_MS_EACH, LOOK_MS_MAX);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      if (waiter.ticket !== undefined) return waiter.ticket;
      const nowMs = this.#nowMs();
      // Timers of a busy thread ring late. The bounds keep a step of the clock from making the wait longer or much shorter.
      waitedMs += Math.max(pauseMs, Math.min(nowMs - waiter.seenMs, LOOK_MS_MAX));
      waiter.seenMs = nowMs;
    }
    if (this.#dequeue(member, waiter)) this.#forget(member);
    throw this.#refusal;
  }

  #enqueue(member: Member, waiter: Waiter): void {
    (member.queue ??= new Set()).add(waiter);
    member.group.turns.add(member);
    member.group.waiting++;
    this.#turns.add(member.group);
    this.#waiting++;
  }

  #dequeue(member: Member, waiter: Waiter): boolean {
    const { group, queue } = member;
    if (queue?.delete(waiter) !== true) return false;
    member.left++;
    this.#waiting--;
    group.waiting--;
    if (queue.size === 0) group.turns.delete(member);
    if (group.waiting === 0) this.#turns.delete(group);
    return true;
  }

  /** Gives free places to waiters by round robin: each group has one turn, which goes to its next member. */
  #admitWaiting(): void {
    for (const group of Array.from(this.#turns)) {
      const member = this.#nextOf(group);
      if (member === undefined) continue;
      const [waiter] = member.queue ?? [];
      if (waiter === undefined) continue;
      this.#dequeue(member, waiter);
      // The group and the member go to the end of their rounds.
      if (group.turns.delete(member)) group.turns.add(member);
      if (this.#turns.delete(group)) this.#turns.add(group);
      // The absolute value also covers a clock that was set back.
      if (Math.abs(this.#nowMs() - waiter.seenMs) > GONE_MS) this.#forget(member);
      else waiter.ticket = this.#grant(member);
    }
  }

  #nextOf(group: Group): Member | undefined {
    for (const member of group.turns) if (this.#isFree(member)) return member;
    return undefined;
  }

  /** Releases tickets that are older than `leaseMs`. Returns whether there were any. */
  #reclaim(): boolean {
    const nowMs = this.#nowMs();
    let isAny = false;
    for (const ticket of this.#tickets) {
      // The absolute value also covers a clock that was set back.
      if (Math.abs(nowMs - ticket.sinceMs) < this.#limits.leaseMs) break;
      ticket.release();
      isAny = true;
    }
    return isAny;
  }

  /** Drops a payer without work from memory. */
  #forget({ key, group, active, queue }: Member): void {
    if (active > 0 || (queue?.size ?? 0) > 0) return;
    group.members.delete(key);
    if (group.members.size === 0) this.#groups.delete(group.key);
  }
}

/** Pauses between two polls for a ticket, in milliseconds: the shortest, the addition for each earlier waiter, and the longest. */
const LOOK_MS_MIN = 8;
const LOOK_MS_EACH = 4;
const LOOK_MS_MAX = 256;
/** A waiter without a poll for this time counts as gone, in milliseconds. A busy thread may delay polls by seconds. */
const GONE_MS = 5000;

/** Time after which a refused caller may try again, in seconds. */
const RETRY_SECONDS = 1;

interface Group {
  readonly key: string;
  readonly members: Map<string, Member>;
  /** Members with waiting work, in the order of their turns. */
  readonly turns: Set<Member>;
  active: number;
  waiting: number;
}

interface Member {
  readonly key: string;
  readonly group: Group;
  active: number;
  queue: Set<Waiter> | undefined;
  /** Waiters that have entered the queue so far, and waiters that have left it. */
  queued: number;
  left: number;
}

interface Waiter {
  /** The number of waiters that entered the member's queue earlier. */
  readonly number: number;
  /** Time of the waiter's last poll. */
  seenMs: number;
  ticket: Ticket | undefined;
}

class HeldTicket implements Ticket {
  readonly sinceMs: number;
  readonly release: () => void;

  constructor(sinceMs: number, release: () => void) {
    this.sinceMs = sinceMs;
    this.release = release;
  }
}
