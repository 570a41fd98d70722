import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { Pencil } from "lucide-react";
import { useState } from "react";
import { PassesEditor } from "./passes-editor.tsx";
import { passSentence } from "./sentence.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Button } from "#console/parts/base/button.tsx";
import { LoadingRows } from "#console/parts/base/states.tsx";
import { Status } from "#console/parts/base/status.tsx";
import { mayWrite } from "#console/places/reconciliation/common/reach.ts";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import { type Matching, matchingQuery } from "#console/places/reconciliation/queries/matchings.ts";

/** The passes of a matching in their order, as sentences; and the form that changes them. */
export function PassesPage() {
  const { id } = useParams({ from: "/reconciliation/matchings/$id/passes" });
  const { data } = useQuery(matchingQuery(id));
  const [isEditing, setEditing] = useState(false);
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="max-w-4xl p-6 max-sm:p-4">
        {data === undefined && <LoadingRows />}
        {data !== undefined && isEditing && (
          <PassesEditor matching={data} onEnd={() => setEditing(false)} />
        )}
        {data !== undefined && !isEditing && (
          <PassList matching={data} onEdit={() => setEditing(true)} />
        )}
      </div>
    </div>
  );
}

function PassList({
  matching: { passes, threshold, hasDefaultPasses },
  onEdit,
}: {
  readonly matching: Matching;
  readonly onEdit: () => void;
}) {
  const words = matchingWords().passes;
  return (
    <>
      <div className="mb-4 flex flex-wrap items-start justify-between gap-4">
        <p className="max-w-2xl text-muted">
          {hasDefaultPasses ? words.defaults : words.own} {words.meaning}
        </p>
        {mayWrite() && (
          <Button onClick={onEdit}>
            <Pencil aria-hidden size={14} />
            {words.change}
          </Button>
        )}
      </div>
      <ol
        aria-label={matchingWords().tabs.passes}
        className="divide-y divide-line rounded-md border border-line"
      >
        {passes.map((pass, place) => (
          <li key={pass.name} className="flex gap-4 px-4 py-3">
            <span className="figures w-5 shrink-0 text-right text-faint">{place + 1}</span>
            <div className="min-w-0 flex-1">
              <p className="font-medium">
                <Foreign>{pass.name}</Foreign>
              </p>
              <p className="text-muted">{passSentence(pass)}</p>
            </div>
            <div className="shrink-0 text-right">
              <p className="figures">{matchingWords().outOf(String(pass.confidence))}</p>
              <Status tone={pass.confidence >= threshold ? "good" : "waits"}>
                {pass.confidence >= threshold ? words.makes : words.proposes}
              </Status>
            </div>
          </li>
        ))}
      </ol>
    </>
  );
}
