import type { LineField, OpenLine } from "./line.ts";
import { normalise } from "./normalise.ts";
import type { Pass } from "./pass.ts";

/** Why lines are one group, in the terms of the pass that has found it. */
export interface GroupEvidence {
  /** The texts that are equal after normalising. */
  readonly keys: readonly {
    readonly left: LineField;
    readonly right: LineField;
    readonly text: string;
  }[];
  /** The sums of both sides by asset. */
  readonly sums: readonly {
    readonly asset: string;
    readonly left: bigint;
    readonly right: bigint;
  }[];
  /** The calendar days from the first line to the last one. */
  readonly days: number;
}

interface Sides {
  readonly left: readonly OpenLine[];
  readonly right: readonly OpenLine[];
}

/** The evidence of a group; without a pass, for one that a person has made, no keys are told. */
export function evidenceOf(sides: Sides, pass: Pass | undefined): GroupEvidence {
  const lines = [...sides.left, ...sides.right];
  const days = lines.map(({ day }) => day);
  const assets = [...new Set(lines.map(({ asset }) => asset))];
  const [first] = lines;
  return {
    keys: (first === undefined ? [] : (pass?.keys ?? [])).map(
      ({ left, right, normalise: steps }) => ({
        left,
        right,
        text:
          first === undefined
            ? ""
            : normalise(first.texts[first.side === "left" ? left : right] ?? "", steps),
      }),
    ),
    sums: assets.map((asset) => ({
      asset,
      left: sumOf(sides.left, asset),
      right: sumOf(sides.right, asset),
    })),
    days: lines.length === 0 ? 0 : Math.max(...days) - Math.min(...days),
  };
}

const sumOf = (lines: readonly OpenLine[], asset: string): bigint =>
  lines.reduce((sum, line) => (line.asset === asset ? sum + line.amount : sum), 0n);
