import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Foreign } from "#console/parts/base/address.tsx";
import { Section } from "#console/parts/base/facts.tsx";
import { LINK } from "#console/places/reconciliation/common/names.tsx";
import { matchingsQuery } from "#console/places/reconciliation/queries/matchings.ts";
import { sourceWords } from "#console/places/reconciliation/source-words.ts";
import { stringifyJson } from "#platform/json.ts";

/** The matchings of which a source is a side. A source that one uses cannot be deleted. */
export function UsingMatchings({ id }: { readonly id: string }) {
  const words = sourceWords();
  const filter = { $or: [{ $match: { leftSourceID: id } }, { $match: { rightSourceID: id } }] };
  const { data } = useInfiniteQuery(matchingsQuery(stringifyJson(filter)));
  if (data === undefined) return null;
  const matchings = data.pages.flatMap(({ rows }) => rows);
  return (
    <Section title={words.usedBy}>
      {matchings.length === 0 && <p className="text-muted">{words.unused}</p>}
      <ul className="space-y-1">
        {matchings.map((matching) => (
          <li key={matching.id}>
            <Link to="/reconciliation/matchings/$id" params={{ id: matching.id }} className={LINK}>
              <Foreign>{matching.name}</Foreign>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}
