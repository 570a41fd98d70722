import { Link } from "@tanstack/react-router";
import { type LinkedObject, pathOf } from "./spans.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { ForeignLink } from "#console/parts/routing/foreign-link.tsx";
import { workflowWords } from "#console/places/workflows/words.ts";

/** A link to an object of another module. */
export function ObjectLink({ link }: { readonly link: LinkedObject }) {
  const words = workflowWords().instancePage;
  if (link.kind === "transaction") {
    return (
      <Link
        to="/ledgers/$ledger/transactions/$id"
        params={{ ledger: link.ledger, id: link.id }}
        className="text-accent hover:underline"
      >
        <Foreign>{words.transaction(link.ledger, link.id)}</Foreign>
      </Link>
    );
  }
  return (
    <ForeignLink to={pathOf(link)}>
      {words[link.kind]} <span className="font-mono text-note">{shortOf(link.id)}</span>
    </ForeignLink>
  );
}

/** Ids of payments are long texts in base64, whose ends differ. */
const shortOf = (id: string): string =>
  id.length <= 12 ? id : `${id.slice(0, 8)}…${id.slice(-4)}`;
