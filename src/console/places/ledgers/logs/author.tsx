import { Who } from "#console/parts/principals/who.tsx";
import { ledgerWords } from "#console/places/ledgers/words.ts";
import type { components } from "#openapi";

/** Who wrote an entry of the log. */
export const Author = ({ author }: { readonly author: components["schemas"]["LogAuthor"] }) =>
  author.subject === "" && author.clientId === "" ? (
    <span className="text-muted">{ledgerWords().entry.noAuthor}</span>
  ) : (
    <Who principal={author} />
  );
