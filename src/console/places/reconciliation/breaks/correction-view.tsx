import { UserRoundX } from "lucide-react";
import { useState } from "react";
import { CorrectionStatus } from "./break-parts.tsx";
import { mayDecide, mustBeOther } from "./deciding.ts";
import { florin, may } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { TextView } from "#console/parts/base/json-view.tsx";
import { TextField } from "#console/parts/forms/fields.tsx";
import { ConfirmButton } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { PathLink } from "#console/parts/routing/path-link.tsx";
import { Moment } from "#console/parts/time/moment.tsx";
import { LINK } from "#console/places/reconciliation/common/names.tsx";
import { mayWrite } from "#console/places/reconciliation/common/reach.ts";
import { By } from "#console/places/reconciliation/lines/author.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import type { BreakCorrection } from "#console/places/reconciliation/queries/breaks.ts";
import { RECONCILIATION_KEY } from "#console/places/reconciliation/queries/common.ts";

/** The corrections and write-offs of a break, newest first. */
export const CorrectionList = ({
  corrections,
}: {
  readonly corrections: readonly BreakCorrection[];
}) => (
  <ul className="space-y-3">
    {corrections.map((correction) => (
      <li key={correction.id} className="rounded-md border border-line p-4">
        <Correction correction={correction} />
      </li>
    ))}
  </ul>
);

function Correction({ correction }: { readonly correction: BreakCorrection }) {
  const words = matchingWords().corrections;
  const { kind, state, requestedBy, createdAt, note, script, error } = correction;
  const { ledger, transactionID, decidedBy, decisionNote = "" } = correction;
  return (
    <>
      <p className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="font-medium">{words.kind[kind]}</span>
        <CorrectionStatus state={state} />
      </p>
      <p className="text-muted">
        {words.requested} <By author={requestedBy} /> · <Moment at={createdAt} />
      </p>
      {note !== "" && <Foreign>{note}</Foreign>}
      {decidedBy !== undefined && (
        <p className="text-muted">
          {words.decided} <By author={decidedBy} />{" "}
          {decisionNote !== "" && <Foreign>{decisionNote}</Foreign>}
        </p>
      )}
      {error !== undefined && (
        <p className="text-bad">
          <Foreign>{error}</Foreign>
        </p>
      )}
      {transactionID !== undefined && (
        <p>
          <TransactionLink ledger={ledger} id={String(transactionID)} />
        </p>
      )}
      <details className="mt-2">
        <summary className="cursor-pointer text-note text-accent">{words.script}</summary>
        <div className="mt-1">
          <TextView text={script} what={words.script} />
        </div>
      </details>
      {state === "waiting" && <Decision correction={correction} />}
    </>
  );
}

function TransactionLink({ ledger, id }: { readonly ledger: string; readonly id: string }) {
  const text = matchingWords().line.transaction(id, ledger);
  if (!may("ledger:read")) return text;
  return (
    <PathLink
      to={`/ledgers/${encodeURIComponent(ledger)}/transactions/${encodeURIComponent(id)}`}
      className={LINK}
    >
      {text}
    </PathLink>
  );
}

/** A write-off that waits: who may confirm it, and for those the two buttons. Whoever has asked for it may take it back. */
function Decision({ correction }: { readonly correction: BreakCorrection }) {
  const words = matchingWords().corrections;
  const isOthers = mustBeOther(correction);
  return (
    <div className="mt-3 border-t border-line pt-3">
      {isOthers ? (
        <p className="flex items-center gap-2">
          <UserRoundX aria-hidden size={14} className="shrink-0 text-muted" />
          {words.byOther}
        </p>
      ) : (
        <p className="text-muted">
          {mayDecide(correction) ? words.youAreSecond : words.needsRights(correction.ledger)}
        </p>
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        {mayDecide(correction) && <DecisionButton correction={correction} verb="confirm" />}
        {mayWrite() && <DecisionButton correction={correction} verb="refuse" />}
      </div>
    </div>
  );
}

function DecisionButton({
  correction,
  verb,
}: {
  readonly correction: BreakCorrection;
  readonly verb: "confirm" | "refuse";
}) {
  const words = matchingWords();
  const { id, matchingID } = correction;
  const text = words.corrections[verb === "refuse" && mustBeOther(correction) ? "takeBack" : verb];
  const [note, setNote] = useState("");
  const write = useWrite(
    (body: { readonly note: string }, call) =>
      florin.post(
        `/api/florin/v1/reconciliation/matchings/{matchingID}/corrections/{correctionID}/${verb}`,
        { path: { matchingID, correctionID: id }, body },
        call,
      ),
    { refresh: [RECONCILIATION_KEY] },
  );
  return (
    <ConfirmButton
      kind={verb === "confirm" ? "primary" : "plain"}
      trigger={text.button}
      title={text.title}
      submit={text.button}
      isRisky={false}
      write={write}
      onConfirm={() => write.send({ note })}
    >
      <p>{text.text}</p>
      <TextField label={words.note} value={note} onChange={setNote} />
    </ConfirmButton>
  );
}
