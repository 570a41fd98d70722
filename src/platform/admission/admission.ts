import { admissionSettings } from "./admission-settings.ts";
import { FairGate, type Payer, type Ticket } from "./fair-gate.ts";
import { limitsOf, WORK_KINDS, type WorkKind } from "./work-kinds.ts";
import type { Principal } from "#platform/context.ts";
import { memoByEnv } from "#platform/memo.ts";

/** The budgets of an isolate: a gate for each kind of work. */
export class Admission {
  readonly #gates: Readonly<Record<WorkKind, FairGate>>;

  constructor(totalOf: (kind: WorkKind) => number) {
    const gates = Object.entries(WORK_KINDS).map(([key, { name }]) => {
      const kind = key as WorkKind; // a key of the table
      return [kind, new FairGate(name, limitsOf(kind, totalOf(kind)))];
    });
    this.#gates = Object.fromEntries(gates) as Record<WorkKind, FairGate>; // each kind has one
  }

  /** Takes the right to do work, before the work; whoever gets it gives it back. Throws `RATE_LIMITED`. */
  enter(kind: WorkKind, payer: Payer): Ticket | Promise<Ticket> {
    return this.#gates[kind].enter(payer);
  }

  /** Does work between taking the right to it and giving it back. Throws `RATE_LIMITED`, or what the work throws. */
  async run<T>(kind: WorkKind, payer: Payer, work: () => Promise<T>): Promise<T> {
    const ticket = await this.enter(kind, payer);
    try {
      return await work();
    } finally {
      ticket.release();
    }
  }

  /** What is under way and what waits, by kinds. */
  loadOf(kind: WorkKind): FairGate["load"] {
    return this.#gates[kind].load;
  }
}

/** The budgets of the isolate that has these bindings. */
export const admissionOf = memoByEnv((env: Env) => {
  const settings = admissionSettings.of(env);
  return new Admission((kind) => settings[WORK_KINDS[kind].setting]);
});

const payers = new WeakMap<Principal, Payer>();

/** Who pays for what a principal does: its client, and the person in whose name the client acts. */
export function payerOf(principal: Principal): Payer {
  const known = payers.get(principal);
  if (known !== undefined) return known;
  const { issuer, clientId, subject } = principal;
  const payer = { group: `client ${issuer} ${clientId}`, member: subject };
  payers.set(principal, payer);
  return payer;
}

/** Who pays where nobody is known: the sender's address, one of all strangers, who together are one group. */
export const strangerAt = (address: string): Payer => ({ group: STRANGERS, member: address });

const STRANGERS = "strangers";
