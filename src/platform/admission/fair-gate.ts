import { AppError } from "#platform/errors.ts";

/** Who pays for work: a group, which is a client or all strangers together, and the member of it that acts. */
export interface Payer {
  readonly group: string;
  readonly member: string;
}

/** How much of one kind of work is admitted, and who waits for it. */
export interface GateLimits {
  /** Most work under way at once. */
  readonly total: number;
  /** The most of it that one group has while no other group is there; the rest is the reserve for whoever comes next. */
  readonly alone: number;
  /** The most of it that one group has while others are there. */
  readonly shared: number;
  /** Most work of one group that waits for its turn; 0 answers at once. */
  readonly waitingOfGroup: number;
  /** Most work of all groups that waits. */
  readonly waiting: number;
  /** Longest wait, in milliseconds. */
  readonly waitMs: number;
  /** After so long, in milliseconds, work counts as over: its caller may be gone, and an edge that ends a request does not say so. */
  readonly leaseMs: number;
}

/** The right to do one piece of work. */
export interface Ticket {
  /** Gives the right back; once is enough, and twice does no harm. */
  release(): void;
}

/**
 * Admits work of one kind: fair queueing by round robin (J. Nagle, RFC 970), over groups and then over the members of a group.
 *
 *     payer ─► place free? ── yes ──────────────────────────► Ticket
 *                  │ no                                         ▲
 *                  ├─► room in the group's queue? ─ wait ─ turn ┘
 *                  │            │ no          └─ waitMs over ─┐
 *                  └────────────┴──────────────────────────────┴─► RATE_LIMITED
 *
 * A member has at most half of its group's places while another member of the group is there. Nothing is kept of a payer who has
 * nothing under way and nothing waiting.
 */
export class FairGate {
  readonly #limits: GateLimits;
  readonly #nowMs: () => number;
  /** One for all who are refused, of whom there may be thousands at once: none has a stack of interest. */
  readonly #refusal: AppError;
  readonly #groups = new Map<string, Group>();
  /** Groups that have work waiting, the one whose turn is next first. */
  readonly #turns = new Set<Group>();
  /** Tickets that are out, the oldest first. */
  readonly #tickets = new Set<HeldTicket>();
  #waiting = 0;

  /** `name` is how refusals call the work: `exports`. */
  constructor(name: string, limits: GateLimits, nowMs: () => number = () => Date.now()) {
    this.#limits = limits;
    this.#nowMs = nowMs;
    this.#refusal = new AppError(
      "RATE_LIMITED",
      `too many ${name} of this caller are under way; try again later`,
      { retryAfterSeconds: RETRY_SECONDS },
    );
  }

  /** How much is under way, how much waits, and of how many payers something is kept. */
  get load(): { readonly active: number; readonly waiting: number; readonly payers: number } {
    let payers = 0;
    for (const { members } of this.#groups.values()) payers += members.size;
    return { active: this.#tickets.size, waiting: this.#waiting, payers };
  }

  /** Takes a place, without waiting where one is free. Throws `RATE_LIMITED`. */
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
   * Looks for its ticket again and again, by timers of its own: a promise that another request resolves would go on in that one's name, which
   * the runtime does not allow. A waiter that has stopped looking belongs to a request that was broken off.
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
      // Timers of a busy thread ring late. A clock that steps makes the wait neither longer nor much shorter.
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

  /** Gives the places that are free to those who wait, a turn for each group and a turn for each of its members. */
  #admitWaiting(): void {
    for (const group of Array.from(this.#turns)) {
      const member = this.#nextOf(group);
      if (member === undefined) continue;
      const [waiter] = member.queue ?? [];
      if (waiter === undefined) continue;
      this.#dequeue(member, waiter);
      // The next turn of both comes after those of the others.
      if (group.turns.delete(member)) group.turns.add(member);
      if (this.#turns.delete(group)) this.#turns.add(group);
      // Much time lies between the two as well where the machine's clock was set back.
      if (Math.abs(this.#nowMs() - waiter.seenMs) > GONE_MS) this.#forget(member);
      else waiter.ticket = this.#grant(member);
    }
  }

  #nextOf(group: Group): Member | undefined {
    for (const member of group.turns) if (this.#isFree(member)) return member;
    return undefined;
  }

  /** Takes back what is out for longer than the work can take, and says whether there was any. */
  #reclaim(): boolean {
    const nowMs = this.#nowMs();
    let isAny = false;
    for (const ticket of this.#tickets) {
      // Much time lies between the two as well where the machine's clock was set back.
      if (Math.abs(nowMs - ticket.sinceMs) < this.#limits.leaseMs) break;
      ticket.release();
      isAny = true;
    }
    return isAny;
  }

  /** Keeps nothing of a payer without work. */
  #forget({ key, group, active, queue }: Member): void {
    if (active > 0 || (queue?.size ?? 0) > 0) return;
    group.members.delete(key);
    if (group.members.size === 0) this.#groups.delete(group.key);
  }
}

/** The shortest pause between two looks for a ticket, what each waiter before adds to it, and the longest pause, in milliseconds. */
const LOOK_MS_MIN = 8;
const LOOK_MS_EACH = 4;
const LOOK_MS_MAX = 256;
/** A waiter that has not looked for its ticket for so long has gone, in milliseconds: the thread may be busy for a while. */
const GONE_MS = 5000;

/** When a refused caller may come again, in seconds: places come free all the time. */
const RETRY_SECONDS = 1;

interface Group {
  readonly key: string;
  readonly members: Map<string, Member>;
  /** Members that have work waiting, the one whose turn is next first. */
  readonly turns: Set<Member>;
  active: number;
  waiting: number;
}

interface Member {
  readonly key: string;
  readonly group: Group;
  active: number;
  queue: Set<Waiter> | undefined;
  /** How many have entered the queue so far, and how many have left it. */
  queued: number;
  left: number;
}

interface Waiter {
  /** How many entered the member's queue before it. */
  readonly number: number;
  /** When it has looked for its ticket last. */
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
