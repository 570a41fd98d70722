import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { AccountForm } from "./account-form.tsx";
import { BookButton, OwnScriptForm } from "./book-forms.tsx";
import { WriteOffForm } from "./write-off-form.tsx";
import { may } from "#console/api/florin.ts";
import { Foreign } from "#console/parts/base/address.tsx";
import { Section } from "#console/parts/base/facts.tsx";
import { TextView } from "#console/parts/base/json-view.tsx";
import { Failure, LoadingRows } from "#console/parts/base/states.tsx";
import { Status } from "#console/parts/base/status.tsx";
import { FormDialog } from "#console/parts/forms/form.tsx";
import { MoneyGraph } from "#console/parts/graphs/money-graph.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import {
  type BreakHistory,
  type CorrectionSuggestion,
  suggestionQuery,
} from "#console/places/reconciliation/queries/breaks.ts";

interface RemedyProps {
  readonly matchingID: string;
  readonly of: BreakHistory;
}

/**
 * How a break can be closed by a booking: the suggested one, a script of one's own, or a write-off. A booking needs the right to write the
 * ledger; without it, the suggestion can be read.
 */
export function Remedies({ matchingID, of }: RemedyProps) {
  const words = matchingWords().remedy;
  const [account, setAccount] = useState<string>();
  const { data, error, refetch } = useQuery(suggestionQuery(matchingID, of.id, account));
  const canBook = may("ledger:write");
  return (
    <Section title={words.title}>
      {error !== null && data === undefined && (
        <Failure error={error} retry={() => void refetch()} />
      )}
      {data === undefined && error === null && <LoadingRows rows={3} />}
      {data !== undefined && (
        <Suggested
          matchingID={matchingID}
          of={of}
          suggestion={data}
          account={account}
          onAccount={setAccount}
        />
      )}
      {canBook ? (
        <div className="mt-4 flex flex-wrap gap-2">
          <FormDialog trigger={words.writeOff} title={words.writeOffTitle}>
            {(close) => (
              <WriteOffForm
                matchingID={matchingID}
                of={of}
                amount={data?.correction?.amount ?? of.amount}
                close={close}
              />
            )}
          </FormDialog>
          <FormDialog trigger={words.own} title={words.ownTitle} isWide>
            {(close) => (
              <OwnScriptForm
                matchingID={matchingID}
                of={of}
                script={data?.script ?? ""}
                close={close}
              />
            )}
          </FormDialog>
        </div>
      ) : (
        <p className="mt-4 text-muted">{words.mayNotBook}</p>
      )}
    </Section>
  );
}

/** The suggested booking with what it would move, and the button that books it. */
function Suggested({
  matchingID,
  of,
  suggestion,
  account,
  onAccount,
}: RemedyProps & {
  readonly suggestion: CorrectionSuggestion;
  readonly account: string | undefined;
  readonly onAccount: (account: string) => void;
}) {
  const words = matchingWords().remedy;
  const { why, correction, script, dryRun, refusal } = suggestion;
  if (correction === undefined)
    return (
      <p className="text-muted">
        {words.noSuggestion} <Foreign>{why}</Foreign>.
      </p>
    );
  return (
    <div className="rounded-md border border-line p-4">
      <p className="mb-3">
        {words.suggested(correction.ledger)}{" "}
        <span className="text-muted">
          <Foreign>{why}</Foreign>.
        </span>
      </p>
      {script === undefined && <AccountForm ledger={correction.ledger} onAccount={onAccount} />}
      {script !== undefined && <TextView text={script} what={words.script} />}
      {dryRun !== undefined && (
        <div className="mt-4">
          <MoneyGraph postings={dryRun.postings} />
        </div>
      )}
      {refusal !== undefined && (
        <p className="mt-3">
          <Status tone="bad">{words.wouldRefuse}</Status> <Foreign>{refusal}</Foreign>
        </p>
      )}
      {may("ledger:write") && dryRun !== undefined && (
        <BookButton matchingID={matchingID} line={of.id} account={account} />
      )}
    </div>
  );
}
