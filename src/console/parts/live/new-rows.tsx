import { ArrowUp } from "lucide-react";
import { formatCount } from "#console/parts/base/count.ts";
import { partWords } from "#console/parts/part-words.ts";

/** Rows that were written since a list was read. */
export interface NewRows {
  readonly count: number;
  /** Whether there are more than `count`. */
  readonly isMore: boolean;
  /** Reads the list anew, from its beginning. */
  readonly show: () => void;
}

/** The button above a list behind which new rows wait. */
export function NewRowsButton({
  news: { count, isMore },
  onShow,
}: {
  readonly news: NewRows;
  readonly onShow: () => void;
}) {
  const words = partWords().live;
  const text = words.newRows(`${formatCount(count)}${isMore ? "+" : ""}`);
  return (
    <div className="pointer-events-none relative z-20 h-0">
      <div role="status" className="absolute inset-x-0 top-10 flex justify-center max-sm:top-2">
        {count > 0 && (
          <button
            type="button"
            title={words.showNew}
            onClick={onShow}
            className="pointer-events-auto inline-flex h-7 animate-appear items-center gap-1.5 rounded-full bg-accent px-3 text-note font-medium text-on-accent shadow-float hover:bg-accent-strong pointer-coarse:h-10"
          >
            <ArrowUp aria-hidden size={13} />
            {text}
          </button>
        )}
      </div>
    </div>
  );
}
