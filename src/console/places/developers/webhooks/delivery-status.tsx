import type { Delivery } from "./queries.ts";
import { Status, type Tone } from "#console/parts/base/status.tsx";
import { developerWords } from "#console/places/developers/words.ts";

const TONES: Readonly<Record<Delivery["status"], Tone>> = {
  pending: "waits",
  delivering: "waits",
  succeeded: "good",
  failed: "bad",
  cancelled: "neutral",
};

/** The state of a delivery. One that waits after a failed attempt is said to be tried again. */
export function deliveryStatus({ status, lastAttemptAt }: Delivery) {
  const { statuses, retrying } = developerWords().webhooks;
  const isRetried = status === "pending" && lastAttemptAt !== undefined;
  return (
    <Status tone={isRetried ? "warn" : TONES[status]}>
      {isRetried ? retrying : statuses[status]}
    </Status>
  );
}
