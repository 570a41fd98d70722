import { useMoments } from "#console/places/ledgers/time/moments.ts";
import { ledgerWords } from "#console/places/ledgers/words.ts";

/** The sentence of a page, or of a part of it, that shows the present although the ledger is at a moment. */
export function PresentOnly({ what }: { readonly what?: string }) {
  const { at } = useMoments();
  const words = ledgerWords().moment;
  if (at === undefined) return null;
  return (
    <p className="mx-6 my-3 rounded-md bg-warn-soft px-3 py-2 text-warn max-sm:mx-4">
      {what ?? words.presentOnly}
    </p>
  );
}
