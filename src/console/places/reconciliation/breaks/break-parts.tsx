import { formatCount } from "#console/parts/base/count.ts";
import { Status, type Tone } from "#console/parts/base/status.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import type {
  BreakCorrection,
  BreakStatus,
} from "#console/places/reconciliation/queries/breaks.ts";
import { sourceWords } from "#console/places/reconciliation/source-words.ts";

const DAY_MS = 86_400_000;

const STATUS_TONES: Readonly<Record<BreakStatus, Tone>> = {
  open: "neutral",
  in_progress: "waits",
  waiting: "waits",
};

/** What people do about a break. */
export const BreakState = ({ status }: { readonly status: BreakStatus }) => (
  <Status tone={STATUS_TONES[status]}>{matchingWords().breakStatus[status]}</Status>
);

/** The age of a line of a day, in days. A day in the future is new. */
export function ageOf(day: string): string {
  const days = Math.floor((Date.now() - Date.parse(`${day}T00:00:00Z`)) / DAY_MS);
  return sourceWords().clearing.age(formatCount(Math.max(days, 0)));
}

const CORRECTION_TONES: Readonly<Record<BreakCorrection["state"], Tone>> = {
  begun: "waits",
  waiting: "waits",
  booking: "waits",
  booked: "good",
  failed: "bad",
  releasing: "neutral",
  refused: "neutral",
};

/** How far a correction or a write-off has come. */
export const CorrectionStatus = ({ state }: Pick<BreakCorrection, "state">) => (
  <Status tone={CORRECTION_TONES[state]}>{matchingWords().correctionState[state]}</Status>
);
