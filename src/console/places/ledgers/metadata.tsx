import { ledgerWords } from "./words.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Fact, Facts } from "#console/parts/base/facts.tsx";

/** The metadata of an object, by name. */
export function Metadata({ metadata }: { readonly metadata: Readonly<Record<string, string>> }) {
  const entries = Object.entries(metadata).toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return <p className="text-muted">{ledgerWords().detail.noMetadata}</p>;
  return (
    <Facts>
      {entries.map(([name, value]) => (
        <Fact key={name} name={name}>
          <Foreign>{value}</Foreign>
        </Fact>
      ))}
    </Facts>
  );
}
