import type { ActivityName, ActivityOutcome, CommittedMoney } from "./activities.ts";

export interface EndedActivity {
  readonly name: ActivityName;
  readonly input: unknown;
  readonly outcome: ActivityOutcome;
}

/** The money that an activity has moved, as a text for each posting; empty for an activity that has failed or moves no money. */
export function movedBy({ name, input, outcome }: EndedActivity): readonly string[] {
  if (!outcome.ok) return [];
  switch (name) {
    case "CreateTransaction": {
      const { ledger } = input as { readonly ledger: string }; // `CreateTransaction` has this input
      return describe({ ledger, ...(outcome.output as CommittedMoney) });
    }
    case "CreditWallet":
    case "DebitWallet":
      return describe(outcome.output as LedgerMoney); // both activities have this output
    default:
      return [];
  }
}

interface LedgerMoney extends CommittedMoney {
  readonly ledger: string;
}

const describe = ({ ledger, id, postings }: LedgerMoney): string[] =>
  postings.map(
    ({ amount, asset, source, destination }) =>
      `${amount} ${asset} from '${source}' to '${destination}' (transaction ${id} of the ledger '${ledger}')`,
  );

/** The error of a stage, followed by the money that the stage had moved before it failed, and by what the client can do. */
export const withMovedMoney = (message: string, moved: readonly string[]): string =>
  moved.length === 0
    ? message
    : `${message}. Before that, the stage has moved ${moved.join(", and ")}, and this money stays there. Once the cause is mended, POST /api/florin/v1/instances/{id}/retry goes on without moving it again; to give the instance up, revert these moves.`;
