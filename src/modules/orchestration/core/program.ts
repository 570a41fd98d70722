import {
  type ActivityOutcome,
  type ActivityRequest,
  call,
  type StageProgram,
} from "./activities.ts";
import { send } from "./send.ts";
import type { SendStage, UpdateStage } from "./stages.ts";

/** The step of a stage that follows its first activities: another activity, or the end of the stage. */
export type StageStep = { readonly next: ActivityRequest } | { readonly isDone: true };

/** The step that follows activities with these outcomes. Throws `StageError` where the stage fails after them. */
export function stepAfter(
  stage: SendStage | UpdateStage,
  outcomes: readonly ActivityOutcome[],
): StageStep {
  const program = programOf(stage);
  let result = program.next();
  for (const outcome of outcomes) {
    if (result.done === true) break;
    result = program.next(outcome);
  }
  return result.done === true ? { isDone: true } : { next: result.value };
}

const programOf = (stage: SendStage | UpdateStage): StageProgram =>
  stage.type === "send" ? send(stage) : update(stage);

function* update({ account: { id, ledger, metadata } }: UpdateStage): StageProgram {
  yield* call("AddAccountMetadata", { ledger, account: id, metadata });
}

/**
 * Whether a failure of an activity is final, because no repetition mends it. Any other failure is retried without a limit, because a later
 * attempt may succeed. A principal that lacks the right is refused for good, too.
 */
export function isFinal(name: ActivityRequest["name"], kind: string): boolean {
  if (kind === "FORBIDDEN" || kind === "UNAUTHENTICATED") return true;
  return FINAL_OF[name]?.has(kind) ?? false;
}

const REFUSED = new Set(["VALIDATION", "CONFLICT", "NO_SCRIPT", "COMPILATION_FAILED"]);
const FINAL_OF: Partial<Record<ActivityRequest["name"], ReadonlySet<string>>> = {
  GetAccount: REFUSED,
  AddAccountMetadata: REFUSED,
  CreateTransaction: REFUSED,
  DebitWallet: REFUSED,
  CheckTransfer: new Set(["VALIDATION", "CONNECTOR_CAPABILITY_NOT_SUPPORTED"]),
  CreateTransferInitiation: new Set(["VALIDATION", "CONFLICT"]),
};
