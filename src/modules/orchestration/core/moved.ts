import type { ActivityName, ActivityOutcome, CommittedMoney } from "./activities.ts";

/** An activity as it was stored, with how it has ended. */
export interface EndedActivity {
  readonly name: ActivityName;
  readonly input: unknown;
  readonly outcome: ActivityOutcome;
}

/** What an activity has moved, a text for each posting: nothing for one that has failed or moves nothing. */
export function movedBy({ name, input, outcome }: EndedActivity): readonly string[] {
  if (!outcome.ok) return [];
  switch (name) {
    case "CreateTransaction": {
      const { ledger } = input as { readonly ledger: string }; // as its input says
      return describe({ ledger, ...(outcome.output as CommittedMoney) });
    }
    case "CreditWallet":
    case "DebitWallet":
      return describe(outcome.output as LedgerMoney); // as the activity gives
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

/** Why a stage has failed that had moved money before, and what to do then. */
export const withMoved = (message: string, moved: readonly string[]): string =>
  moved.length === 0
    ? message
    : `${message}. Before that, the stage has moved ${moved.join(", and ")}, and that stays so. Once the cause is mended, POST /api/florin/v1/instances/{id}/retry goes on without moving it again; whoever gives the instance up reverts what was moved.`;
