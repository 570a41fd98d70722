import { Status, type Tone } from "#console/parts/base/status.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import type { MatchingGroup } from "#console/places/reconciliation/queries/groups.ts";

const TONES: Readonly<Record<MatchingGroup["state"], Tone>> = {
  proposed: "waits",
  matched: "good",
  declined: "neutral",
  broken: "warn",
};

/** Whether a group is a proposal or a match, or what people have made of it. */
export const GroupStatus = ({ state }: Pick<MatchingGroup, "state">) => (
  <Status tone={TONES[state]}>{matchingWords().groupState[state]}</Status>
);
