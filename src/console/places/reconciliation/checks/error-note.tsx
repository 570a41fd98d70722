import { adviceFor } from "./advice.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { reconciliationWords } from "#console/places/reconciliation/words.ts";

/** Why nothing could be compared, and what helps. */
export function ErrorNote({ error }: { readonly error: string }) {
  const words = reconciliationWords().evaluationPage;
  return (
    <div className="space-y-1 rounded-md border border-line bg-warn-soft p-4">
      <p className="font-medium">{words.error}</p>
      <p>
        <Foreign>{error}</Foreign>
      </p>
      <p>
        <span className="text-muted">{words.whatToDo}:</span> {adviceFor(error)}
      </p>
    </div>
  );
}
