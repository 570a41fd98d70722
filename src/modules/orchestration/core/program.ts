import {
  type ActivityOutcome,
  type ActivityRequest,
  call,
  type StageProgram,
} from "./activities.ts";
import { send } from "./send.ts";
import type { SendStage, UpdateStage } from "./stages.ts";

/** What follows after some activities: another one, or the end of the stage. */
export type StageStep = { readonly next: ActivityRequest } | { readonly isDone: true };

/** Throws `StageError` where the stage fails after these outcomes. */
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
 * The failures that no repetition mends, by activity; any other one is tried again without an end, because it may be none later. A
 * principal that may not do it is refused for good, too.
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
