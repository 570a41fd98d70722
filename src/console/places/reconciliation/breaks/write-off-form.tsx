import { useState } from "react";
import { florin } from "#console/api/florin.ts";
import { TextField } from "#console/parts/forms/fields.tsx";
import { Form } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { Money } from "#console/parts/money/money.tsx";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import type { BreakHistory, WriteOffBody } from "#console/places/reconciliation/queries/breaks.ts";
import { RECONCILIATION_KEY } from "#console/places/reconciliation/queries/common.ts";
import type { Integer } from "#openapi";

/** The form of a write-off: against which account, and why. Where four eyes are asked for, it then waits for a second person. */
export function WriteOffForm({
  matchingID,
  of,
  amount,
  close,
}: {
  readonly matchingID: string;
  readonly of: BreakHistory;
  /** What would be booked: the difference to the related line, or all of the line. */
  readonly amount: Integer;
  readonly close: () => void;
}) {
  const words = matchingWords();
  const [counter, setCounter] = useState("");
  const [account, setAccount] = useState("");
  const [note, setNote] = useState("");
  const write = useWrite(
    (body: WriteOffBody, call) =>
      florin.post(
        "/api/florin/v1/reconciliation/matchings/{matchingID}/breaks/{lineID}/write-off",
        { path: { matchingID, lineID: of.id }, body },
        call,
      ),
    { refresh: [RECONCILIATION_KEY], onDone: close },
  );
  const send = (): void => write.send({ counter, note, ...(account === "" ? {} : { account }) });
  return (
    <Form write={write} submit={words.remedy.writeOff} isRisky onSubmit={send}>
      <p>
        {words.remedy.writeOffText} <Money amount={amount} asset={of.asset} />
      </p>
      <TextField
        label={words.remedy.counter}
        value={counter}
        onChange={setCounter}
        hint={words.remedy.counterHint}
        placeholder="expenses:write-offs"
        isRequired
        isCode
      />
      <TextField
        label={words.remedy.account}
        value={account}
        onChange={setAccount}
        hint={words.remedy.writeOffAccountHint}
        isCode
      />
      <TextField label={words.note} value={note} onChange={setNote} isRequired rows={2} />
    </Form>
  );
}
