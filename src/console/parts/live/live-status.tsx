import { CirclePause } from "lucide-react";
import type { LiveState } from "./ledger-stream.ts";
import { locale } from "#console/parts/language/words.ts";
import { partWords } from "#console/parts/part-words.ts";

const TIME = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });

/** Says that the page does not follow the ledger at the moment; nothing while it does. */
export function LiveStatus({ state: { isLive, lastMs } }: { readonly state: LiveState }) {
  const words = partWords().live;
  return (
    <span role="status" className="text-note">
      {!isLive && (
        <span className="inline-flex items-center gap-1.5 whitespace-nowrap text-warn">
          <CirclePause aria-hidden size={14} />
          {lastMs === undefined ? words.paused : words.pausedSince(TIME.format(lastMs))}
        </span>
      )}
    </span>
  );
}
