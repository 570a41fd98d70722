import { Link } from "@tanstack/react-router";
import { useObjectName } from "./object-name.ts";
import type { LinkedObject } from "./spans.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { workflowWords } from "#console/places/workflows/words.ts";

const LINK_CLASS = "text-accent hover:underline";

/** A link to an object of another module. */
export function ObjectLink({ link }: { readonly link: LinkedObject }) {
  const { id, kind } = link;
  switch (kind) {
    case "transaction":
      return (
        <Link
          to="/ledgers/$ledger/transactions/$id"
          params={{ ledger: link.ledger, id }}
          className={LINK_CLASS}
        >
          <Foreign>{workflowWords().instancePage.transaction(link.ledger, id)}</Foreign>
        </Link>
      );
    case "wallet":
      return (
        <Link to="/wallets/$id" params={{ id }} className={LINK_CLASS}>
          <Named link={link} />
        </Link>
      );
    case "payment":
      return (
        <Link to="/payments/payments/$id" params={{ id }} className={LINK_CLASS}>
          <Named link={link} />
        </Link>
      );
    case "initiation":
      return (
        <Link to="/payments/initiations/$id" params={{ id }} className={LINK_CLASS}>
          <Named link={link} />
        </Link>
      );
  }
}

/** What an object is, and its name; before that is known, its id. Ids of payments are long texts whose beginnings are alike. */
function Named({ link }: { readonly link: LinkedObject }) {
  const { kind, id } = link;
  const name = useObjectName(link);
  return (
    <>
      {kind === "transaction" ? "" : workflowWords().instancePage[kind]}{" "}
      {name === undefined ? (
        <span className="font-mono text-note">
          {id.length <= 12 ? id : `${id.slice(0, 8)}…${id.slice(-4)}`}
        </span>
      ) : (
        <Foreign>{name}</Foreign>
      )}
    </>
  );
}
