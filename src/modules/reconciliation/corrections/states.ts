export const CORRECTION_KINDS = ["correction", "write_off"] as const;
export type CorrectionKind = (typeof CORRECTION_KINDS)[number];

/**
 * How far a correction has come:
 *
 *     begun ──▶ booking ──▶ booked          its lines are held from `begun` on, so that nothing else matches them
 *       │ │        └──────▶ failed          the ledger has refused it; the lines are open again
 *       │ └─▶ waiting ──▶ booking           a second person has confirmed it
 *       │        └──▶ releasing ─▶ refused  or has not; the lines are open again
 *       └──▶ failed                         another one had taken a line before
 */
export const CORRECTION_STATES = [
  "begun",
  "waiting",
  "booking",
  "booked",
  "failed",
  "releasing",
  "refused",
] as const;
export type CorrectionState = (typeof CORRECTION_STATES)[number];
