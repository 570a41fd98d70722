/** The plan of a demo. The plan is complete before the first request, so that the outcome is known without the server. */
export interface Plan {
  readonly hours: readonly Hour[];
}

export interface Hour {
  readonly title: string;
  /** The phases, which are played sequentially. The requests of one phase run in any order. */
  readonly phases: readonly (readonly Request[])[];
}

/** One HTTP request. */
export type Request =
  | { readonly via: "single"; readonly step: Step }
  | { readonly via: "bulk"; readonly steps: readonly Step[]; readonly atomic: boolean };

export type Step = Commit | Revert | TagAccount | TagTransaction;

export interface Commit {
  readonly kind: "commit";
  readonly transaction: PlannedTransaction;
  readonly fate: Fate;
  /** The idempotency key of a commit that is sent twice, as by a client that got no answer. */
  readonly idempotencyKey?: string;
}

/** The outcome of a commit: `refused` is an overdraft, `undone` is in an atomic bulk with an overdraft. */
export type Fate = "kept" | "refused" | "undone";

/** A revert of a planned transaction. */
export interface Revert {
  readonly kind: "revert";
  readonly reference: string;
}

export interface TagAccount {
  readonly kind: "tagAccount";
  readonly address: string;
  readonly metadata: Metadata;
}

export interface TagTransaction {
  readonly kind: "tagTransaction";
  readonly reference: string;
  readonly metadata: Metadata;
}

export interface PlannedTransaction {
  /** The transaction's reference, which no other transaction has. */
  readonly reference: string;
  readonly postings: readonly Posting[];
  readonly metadata: Metadata;
  readonly accountMetadata?: Readonly<Record<string, Metadata>>;
  /** The effective date, if it is earlier than the request. */
  readonly timestamp?: Date;
}

export interface Posting {
  readonly source: string;
  readonly destination: string;
  readonly amount: bigint;
  readonly asset: string;
}

export type Metadata = Readonly<Record<string, string>>;

/** The steps of a plan in a possible order. */
export function* stepsOf(plan: Plan): Generator<Step> {
  for (const { phases } of plan.hours) {
    for (const request of phases.flat()) {
      if (request.via === "single") yield request.step;
      else yield* request.steps;
    }
  }
}
