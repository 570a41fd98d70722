import { percentText } from "./pass-draft.ts";
import { visible } from "#console/parts/language/visible.ts";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import type { MatchingPass } from "#console/places/reconciliation/queries/matchings.ts";
import { sourceWords } from "#console/places/reconciliation/source-words.ts";

/** What a pass compares, as a sentence. */
export function passSentence(pass: MatchingPass): string {
  const { sentence } = matchingWords();
  const parts = [
    sentence.cardinality[pass.cardinality](String(pass.groupMax)),
    ...pass.keys.map(keyText),
    amountText(pass),
    pass.dates === undefined ? sentence.anyDay : sentence[pass.dates.count](String(pass.dates.max)),
  ];
  return visible(`${parts.join(", ")}.`);
}

function keyText({ left, right, normalise, lengthMin }: MatchingPass["keys"][number]): string {
  const { sentence } = matchingWords();
  const names = sourceWords().line.fields;
  const steps = normalise.map((step) =>
    step.kind === "prefix" ? sentence.prefix(String(step.length)) : sentence.step[step.kind],
  );
  const limits = lengthMin > 1 ? [...steps, sentence.lengthMin(String(lengthMin))] : steps;
  const equal =
    left === right ? sentence.equal(names[left]) : sentence.equalTo(names[left], names[right]);
  return limits.length === 0 ? equal : `${equal} (${limits.join(", ")})`;
}

function amountText({ amount }: MatchingPass): string {
  const { sentence, side } = matchingWords();
  switch (amount.kind) {
    case "equal":
      return sentence.equalAmounts;
    case "tolerance":
      return sentence.tolerance(String(amount.absolute), percentText(amount.millionths));
    case "fee":
      return sentence.fee(
        side[amount.netSide],
        String(amount.fixed),
        percentText(amount.millionths),
      );
  }
}
