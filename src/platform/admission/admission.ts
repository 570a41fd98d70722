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
      const kind = key as WorkKind; // `WORK_KINDS` has no other keys.
      return [kind, new FairGate(name, limitsOf(kind, totalOf(kind)))];
    });
    this.#gates = Object.fromEntries(gates) as Record<WorkKind, FairGate>; // Each kind has a gate.
  }

  /** Takes a ticket before work. The caller releases the ticket after the work. Throws `RATE_LIMITED`. */
  enter(kind: WorkKind, payer: Payer): Ticket | Promise<Ticket> {
    return this.#gates[kind].enter(payer);
  }

  /** Does work with a ticket, which is released afterwards. Throws `RATE_LIMITED`, or the error of the work. */
  async run<T>(kind: WorkKind, payer: Payer, work: () => Promise<T>): Promise<T> {
    const ticket = await this.enter(kind, payer);
    try {
      return await work();
    } finally {
      ticket.release();
    }
  }

  /** Work of a kind that is under way or waits. */
  loadOf(kind: WorkKind): FairGate["load"] {
    return this.#gates[kind].load;
  }
}

/** The budgets of the isolate with the bindings `env`. */
export const admissionOf = memoByEnv((env: Env) => {
  const settings = admissionSettings.of(env);
  return new Admission((kind) => settings[WORK_KINDS[kind].setting]);
});

const payers = new WeakMap<Principal, Payer>();

/** The payer of a principal's work: a member is the person in whose name the client acts, and the group is the client. */
export function payerOf(principal: Principal): Payer {
  const known = payers.get(principal);
  if (known !== undefined) return known;
  const { issuer, clientId, subject } = principal;
  const payer = { group: `client ${issuer} ${clientId}`, member: subject };
  payers.set(principal, payer);
  return payer;
}

/** The payer of work without a principal: the member is the sender's address, and all strangers together are one group. */
export const anonymousPayer = (address: string): Payer => ({ group: STRANGERS, member: address });

const STRANGERS = "strangers";
