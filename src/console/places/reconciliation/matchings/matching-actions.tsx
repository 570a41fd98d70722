import { useNavigate } from "@tanstack/react-router";
import { Pencil, Play } from "lucide-react";
import { useState } from "react";
import { florin } from "#console/api/florin.ts";
import { Button } from "#console/parts/base/button.tsx";
import { Failure } from "#console/parts/base/states.tsx";
import { DeleteButton } from "#console/parts/forms/delete-button.tsx";
import { TextField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import {
  isWorking,
  type Matching,
  matchingKey,
  MATCHINGS_KEY,
} from "#console/places/reconciliation/queries/matchings.ts";

const PATH = "/api/florin/v1/reconciliation/matchings/{matchingID}";

/** What can be done with a matching. A run is not offered while one works. */
export const MatchingActions = ({ matching }: { readonly matching: Matching }) => (
  <>
    <DeleteMatching id={matching.id} />
    <ChangeMatching matching={matching} />
    <RunMatching matching={matching} />
  </>
);

function RunMatching({ matching: { id, lastRun } }: { readonly matching: Matching }) {
  const words = matchingWords();
  const write = useWrite(
    (_: undefined, call) => florin.post(`${PATH}/runs`, { path: { matchingID: id } }, call),
    { refresh: [matchingKey(id)] },
  );
  const isBusy = write.isSending || isWorking(lastRun);
  return (
    <span className="relative">
      <Button kind="primary" disabled={isBusy} onClick={() => write.send(undefined)}>
        <Play aria-hidden size={14} />
        {isWorking(lastRun) ? words.running : words.run}
      </Button>
      {write.error !== null && (
        <div className="absolute top-full right-0 z-30 w-96 max-w-[90vw] rounded-lg bg-raised shadow-float">
          <Failure
            error={write.error}
            title={words.runFailed}
            retry={() => write.send(undefined)}
          />
        </div>
      )}
    </span>
  );
}

function DeleteMatching({ id }: { readonly id: string }) {
  const navigate = useNavigate();
  return (
    <DeleteButton
      words={matchingWords()}
      remove={(call) => florin.delete(PATH, { path: { matchingID: id } }, call)}
      refresh={[[...MATCHINGS_KEY, "list"]]}
      onDone={() => navigate({ to: "/reconciliation/matchings" })}
    />
  );
}

function ChangeMatching({ matching }: { readonly matching: Matching }) {
  const words = matchingWords();
  return (
    <FormDialog
      title={words.changeTitle}
      trigger={
        <>
          <Pencil aria-hidden size={14} />
          {words.change}
        </>
      }
    >
      {(close) => <ChangeForm matching={matching} close={close} />}
    </FormDialog>
  );
}

function ChangeForm({
  matching,
  close,
}: {
  readonly matching: Matching;
  readonly close: () => void;
}) {
  const words = matchingWords();
  const [name, setName] = useState(matching.name);
  const [to, setTo] = useState(matching.period.to ?? "");
  const [suspense, setSuspense] = useState(matching.accounts.suspense);
  const [fees, setFees] = useState(matching.accounts.fees);
  const body = {
    name,
    period: { to: to === "" ? null : to },
    accounts: { suspense, fees },
  };
  const change = useWrite(
    (next: typeof body, call) =>
      florin.patch(PATH, { path: { matchingID: matching.id }, body: next }, call),
    { refresh: [MATCHINGS_KEY], onDone: close },
  );
  return (
    <Form write={change} submit={words.save} onSubmit={() => change.send(body)}>
      <TextField label={words.fields.name} value={name} onChange={setName} isRequired />
      <TextField
        label={words.form.to}
        type="date"
        value={to}
        onChange={setTo}
        hint={words.form.toHint}
      />
      <TextField
        label={words.fields.suspense}
        value={suspense}
        onChange={setSuspense}
        hint={words.form.suspenseHint}
        isRequired
        isCode
      />
      <TextField
        label={words.fields.fees}
        value={fees}
        onChange={setFees}
        hint={words.form.feesHint}
        isRequired
        isCode
      />
    </Form>
  );
}
