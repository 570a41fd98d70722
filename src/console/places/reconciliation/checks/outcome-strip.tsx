import { formatCount } from "#console/parts/base/count.ts";
import type { Evaluation } from "#console/places/reconciliation/queries/common.ts";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

const BAR_PX = 5;
const STEP_PX = 8;
const HEIGHT_PX = 20;

/** The bar of a result. The height tells results apart where the colour does not. */
const BARS: Readonly<
  Record<Evaluation["result"], { readonly height: number; readonly color: string }>
> = {
  PASS: { height: 8, color: "text-good" },
  ERROR: { height: 14, color: "text-warn" },
  FAIL: { height: HEIGHT_PX, color: "text-bad" },
};

/** The last runs of a rule as a picture: a bar for each, the newest one at the right. */
export function OutcomeStrip({
  runs,
}: {
  readonly runs: readonly Pick<Evaluation, "id" | "result">[];
}) {
  const count = (result: Evaluation["result"]): string =>
    formatCount(runs.filter((run) => run.result === result).length);
  return (
    <svg
      role="img"
      aria-label={reconciliationWords().outcomes(
        formatCount(runs.length),
        count("FAIL"),
        count("ERROR"),
      )}
      width={Math.max(runs.length * STEP_PX, 1)}
      height={HEIGHT_PX}
      className="inline-block align-middle"
    >
      {runs.toReversed().map(({ id, result }, place) => {
        const { height, color } = BARS[result];
        return (
          <rect
            key={id}
            x={place * STEP_PX}
            y={HEIGHT_PX - height}
            width={BAR_PX}
            height={height}
            rx={1.5}
            fill="currentColor"
            className={color}
          />
        );
      })}
    </svg>
  );
}
