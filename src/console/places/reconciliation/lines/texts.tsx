import { Foreign } from "#console/parts/base/address.tsx";
import { Fact, Facts } from "#console/parts/base/facts.tsx";
import type { LineField } from "#console/places/reconciliation/queries/groups.ts";
import { sourceWords } from "#console/places/reconciliation/source-words.ts";

export type LineTexts = Readonly<Partial<Record<LineField, string>>>;

/** The texts of a line in the order in which people look at them. */
export const LINE_FIELDS: readonly LineField[] = [
  "counterpartyName",
  "text",
  "endToEndId",
  "instructionId",
  "providerId",
  "mandateId",
  "batchId",
  "counterpartyAccount",
];

/** The texts of a line that say most, for one row of a list: who, and what for. */
export function LineText({ texts }: { readonly texts: LineTexts }) {
  const shown = LINE_FIELDS.flatMap((field) => texts[field] ?? []).slice(0, 2);
  if (shown.length === 0)
    return <span className="text-faint">{sourceWords().line.withoutText}</span>;
  const [first = "", second] = shown;
  return (
    <>
      <Foreign>{first}</Foreign>
      {second !== undefined && (
        <span className="text-muted">
          {" · "}
          <Foreign>{second}</Foreign>
        </span>
      )}
    </>
  );
}

/** All texts of a line by their names. `equal` names those that have made a match. */
export const LineTextFacts = ({
  texts,
  equal = new Set(),
}: {
  readonly texts: LineTexts;
  readonly equal?: ReadonlySet<LineField>;
}) => (
  <Facts>
    {LINE_FIELDS.map((field) => {
      const text = texts[field];
      if (text === undefined) return null;
      const isEqual = equal.has(field);
      return (
        <Fact key={field} name={sourceWords().line.fields[field]}>
          {isEqual ? (
            <mark
              className="rounded-sm bg-accent-soft px-1 text-text"
              title={sourceWords().line.equal}
            >
              <Foreign>{text}</Foreign>
            </mark>
          ) : (
            <Foreign>{text}</Foreign>
          )}
        </Fact>
      );
    })}
  </Facts>
);
