import { draftOfMapping, type WireMapping } from "./mapping-draft.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Fact } from "#console/parts/base/facts.tsx";
import { sourceWords } from "#console/places/reconciliation/source-words.ts";

/** How a source reads CSV files, in short. */
export function MappingFacts({ mapping }: { readonly mapping: Partial<WireMapping> }) {
  const words = sourceWords().mapping;
  const { columns, amount, credit, debit, dateFormat, sign } = draftOfMapping(mapping);
  const amounts = sign === "columns" ? `${credit} / ${debit}` : amount;
  return (
    <>
      <Fact name={words.columns}>
        <Foreign>
          {[columns.date, amounts, columns.name].filter((name) => name !== "").join(" · ")}
        </Foreign>
      </Fact>
      <Fact name={words.dateFormat}>
        <span className="font-mono text-note">
          <Foreign>{dateFormat}</Foreign>
        </span>
      </Fact>
    </>
  );
}
