import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { HandSum } from "./selection.ts";
import { florin } from "#console/api/florin.ts";
import { Button } from "#console/parts/base/button.tsx";
import { Status } from "#console/parts/base/status.tsx";
import { TextField } from "#console/parts/forms/fields.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { Money } from "#console/parts/money/money.tsx";
import { mayWrite } from "#console/places/reconciliation/common/reach.ts";
import { matchingWords } from "#console/places/reconciliation/matching-words.ts";
import { matchingKey } from "#console/places/reconciliation/queries/matchings.ts";

interface SumsProps {
  readonly matchingID: string;
  readonly chosen: { readonly left: readonly number[]; readonly right: readonly number[] };
  readonly sums: readonly HandSum[];
  /** Whether the sums have all chosen lines. */
  readonly isKnown: boolean;
  readonly onClear: () => void;
}

/** What is chosen on both sides, by how much it differs, and the button that matches it. */
export function HandSums(props: SumsProps) {
  const { chosen, sums, isKnown, onClear } = props;
  const words = matchingWords();
  const { left, right } = chosen;
  const isEmpty = left.length + right.length === 0;
  return (
    <div className="flex flex-wrap items-center gap-x-8 gap-y-2 border-b border-line px-6 py-3 max-sm:px-4">
      {isEmpty && <p className="text-muted">{words.hand.begin}</p>}
      {!isEmpty &&
        sums.map((sum) => (
          <dl key={sum.asset} className="flex flex-wrap items-baseline gap-x-6">
            <Sum name={words.side.left} amount={sum.left} asset={sum.asset} />
            <Sum name={words.side.right} amount={sum.right} asset={sum.asset} />
            <Sum name={words.fields.difference} amount={sum.left - sum.right} asset={sum.asset} />
            {sum.left === sum.right && isKnown && <Status tone="good">{words.hand.equal}</Status>}
          </dl>
        ))}
      <span className="ml-auto flex gap-2">
        {!isEmpty && <Button onClick={onClear}>{words.hand.clear}</Button>}
        {mayWrite() && left.length > 0 && right.length > 0 && (
          <FormDialog kind="primary" trigger={words.hand.match} title={words.hand.title}>
            {(close) => <MatchForm {...props} close={close} />}
          </FormDialog>
        )}
      </span>
    </div>
  );
}

const Sum = ({
  name,
  amount,
  asset,
}: {
  readonly name: string;
  readonly amount: bigint;
  readonly asset: string;
}) => (
  <div className="flex items-baseline gap-2">
    <dt className="text-note text-muted">{name}</dt>
    <dd className="font-medium">
      <Money amount={amount} asset={asset} />
    </dd>
  </div>
);

function MatchForm({
  matchingID,
  chosen: { left, right },
  sums,
  close,
}: SumsProps & { readonly close: () => void }) {
  const words = matchingWords();
  const navigate = useNavigate();
  const [note, setNote] = useState("");
  const write = useWrite(
    (body: { left: number[]; right: number[]; note: string }, call) =>
      florin.post(
        "/api/florin/v1/reconciliation/matchings/{matchingID}/groups",
        { path: { matchingID }, body },
        call,
      ),
    {
      refresh: [matchingKey(matchingID)],
      onDone: async () => {
        close();
        await navigate({
          to: "/reconciliation/matchings/$id/hand",
          params: { id: matchingID },
          search: {},
          replace: true,
        });
      },
    },
  );
  const differing = sums.filter((sum) => sum.left !== sum.right);
  return (
    <Form
      write={write}
      submit={words.hand.match}
      onSubmit={() => write.send({ left: [...left], right: [...right], note })}
    >
      <p>{words.hand.text(String(left.length), String(right.length))}</p>
      {differing.map(({ asset, left: one, right: other }) => (
        <p key={asset}>
          <Status tone="warn">{words.hand.differs}</Status>{" "}
          <Money amount={one - other} asset={asset} />
        </p>
      ))}
      <TextField
        label={words.note}
        value={note}
        onChange={setNote}
        isRequired={differing.length > 0}
      />
    </Form>
  );
}
