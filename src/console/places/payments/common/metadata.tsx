import { Foreign } from "#console/parts/base/address.tsx";
import { Fact, Facts } from "#console/parts/base/facts.tsx";
import { visible } from "#console/parts/language/visible.ts";
import { paymentWords } from "#console/places/payments/words.ts";

/** The metadata of an object, by name. */
export function Metadata({ metadata }: { readonly metadata: Readonly<Record<string, string>> }) {
  const entries = Object.entries(metadata).toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return <p className="text-muted">{paymentWords().noMetadata}</p>;
  return (
    <Facts>
      {entries.map(([name, value]) => (
        <Fact key={name} name={visible(name)}>
          <Foreign>{value}</Foreign>
        </Fact>
      ))}
    </Facts>
  );
}
