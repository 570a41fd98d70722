import { Foreign } from "#console/parts/base/address.tsx";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** The reason that somebody has given. */
export const Note = ({ note }: { readonly note: string | undefined }) =>
  note === undefined ? null : (
    <span className="block text-muted">
      <Foreign>{note}</Foreign>
    </span>
  );

/** The references of the transactions that set an alert right. */
export const References = ({ refs }: { readonly refs: readonly string[] | undefined }) =>
  refs === undefined ? null : (
    <ul aria-label={reconciliationWords().alerts.refsList}>
      {refs.map((ref, place) => (
        // oxlint-disable-next-line react/no-array-index-key -- The same reference may stand there twice.
        <li key={place} className="font-mono text-note">
          <Foreign>{ref}</Foreign>
        </li>
      ))}
    </ul>
  );
