import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { UserRoundX } from "lucide-react";
import { type InitiationState, adjustmentsQuery, type Initiation } from "./queries.ts";
import { ReverseForm } from "./reverse-form.tsx";
import { florin } from "#console/api/florin.ts";
import { Failure } from "#console/parts/base/states.tsx";
import { ConfirmButton, FormDialog } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { LargeMoney, Money } from "#console/parts/money/money.tsx";
import { AccountName, isMe, Who } from "#console/places/payments/common/names.tsx";
import { PAYMENTS_KEY } from "#console/places/payments/common/queries.ts";
import { paymentWords } from "#console/places/payments/words.ts";

/** What can be done with an initiation now. What a second person has to do is not offered to the first. */
export function InitiationActions({ initiation }: { readonly initiation: Initiation }) {
  const { status } = initiation;
  if (status === "WAITING_FOR_VALIDATION") return <Decision initiation={initiation} />;
  if (status === "FAILED") return <Retry initiation={initiation} />;
  const wasSent = ["PROCESSED", "REVERSED", "REVERSE_FAILED"].includes(status);
  return wasSent ? <Reverse initiation={initiation} /> : null;
}

/** Whether the API would refuse the decision, because it needs somebody else. */
const needsSomebodyElse = ({ needsSecondPerson, createdBy }: Initiation): boolean =>
  needsSecondPerson && isMe(createdBy);

/** The order that waits: who has asked for it, and who may decide. */
function Decision({ initiation }: { readonly initiation: Initiation }) {
  const words = paymentWords().initiations;
  const { id, createdBy, needsSecondPerson } = initiation;
  const isOthers = needsSomebodyElse(initiation);
  return (
    <div className="mt-4 rounded-lg border border-line p-4">
      <p>
        <Who subject={createdBy} /> {words.asked(isMe(createdBy))}
      </p>
      {isOthers ? (
        <SecondPerson text={words.approveByOther} />
      ) : (
        <p className="text-muted">
          {needsSecondPerson ? words.youAreSecond : words.onePersonEnough}
        </p>
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        {!isOthers && <Approve initiation={initiation} />}
        <Reject id={id} />
        <Delete id={id} />
      </div>
    </div>
  );
}

function Approve({ initiation }: { readonly initiation: Initiation }) {
  const words = paymentWords().initiations;
  const { id, amount, asset, sourceAccountID, destinationAccountID } = initiation;
  const approve = useWrite(
    (_: undefined, options) =>
      florin.post(
        "/api/payments/v3/payment-initiations/{paymentInitiationID}/approve",
        { path: { paymentInitiationID: id } },
        options,
      ),
    { refresh: [PAYMENTS_KEY] },
  );
  return (
    <ConfirmButton
      kind="primary"
      isRisky={false}
      trigger={words.approve}
      title={words.approveTitle}
      submit={words.approve}
      write={approve}
      onConfirm={() => approve.send(undefined)}
    >
      <LargeMoney amount={amount} asset={asset} />
      <p>
        <AccountName id={sourceAccountID} /> → <AccountName id={destinationAccountID} />
      </p>
      <p className="text-muted">{words.approveMeaning}</p>
    </ConfirmButton>
  );
}

function Reject({ id }: { readonly id: string }) {
  const words = paymentWords().initiations;
  const reject = useWrite(
    (_: undefined, options) =>
      florin.post(
        "/api/payments/v3/payment-initiations/{paymentInitiationID}/reject",
        { path: { paymentInitiationID: id } },
        options,
      ),
    { refresh: [PAYMENTS_KEY] },
  );
  return (
    <ConfirmButton
      trigger={words.reject}
      title={words.rejectTitle}
      submit={words.reject}
      write={reject}
      onConfirm={() => reject.send(undefined)}
    >
      <p>{words.rejectMeaning}</p>
    </ConfirmButton>
  );
}

function Delete({ id }: { readonly id: string }) {
  const words = paymentWords().initiations;
  const navigate = useNavigate();
  const remove = useWrite(
    (_: undefined, options) =>
      florin.delete(
        "/api/payments/v3/payment-initiations/{paymentInitiationID}",
        { path: { paymentInitiationID: id } },
        options,
      ),
    {
      refresh: [[...PAYMENTS_KEY, "initiations"]],
      onDone: () => navigate({ to: "/payments/initiations" }),
    },
  );
  return (
    <ConfirmButton
      kind="quiet"
      trigger={words.delete}
      title={words.deleteTitle}
      submit={words.delete}
      write={remove}
      onConfirm={() => remove.send(undefined)}
    >
      <p>{words.deleteMeaning}</p>
    </ConfirmButton>
  );
}

const SecondPerson = ({ text }: { readonly text: string }) => (
  <p className="mt-1 flex items-start gap-2 text-warn">
    <UserRoundX aria-hidden size={16} className="mt-0.5 shrink-0" />
    {text}
  </p>
);

function Retry({ initiation: { id } }: { readonly initiation: Initiation }) {
  const words = paymentWords().initiations;
  const retry = useWrite(
    (_: undefined, options) =>
      florin.post(
        "/api/payments/v3/payment-initiations/{paymentInitiationID}/retry",
        { path: { paymentInitiationID: id } },
        options,
      ),
    { refresh: [PAYMENTS_KEY] },
  );
  return (
    <div className="mt-4">
      <ConfirmButton
        isRisky={false}
        trigger={words.retry}
        title={words.retryTitle}
        submit={words.retry}
        write={retry}
        onConfirm={() => retry.send(undefined)}
      >
        <p>{words.retryMeaning}</p>
      </ConfirmButton>
    </div>
  );
}

function Reverse({ initiation }: { readonly initiation: Initiation }) {
  const words = paymentWords().initiations;
  const { id, status, amount, asset } = initiation;
  const { data, error } = useInfiniteQuery(adjustmentsQuery(id, status));
  if (needsSomebodyElse(initiation)) return <SecondPerson text={words.reverseByOther} />;
  if (error !== null) return <Failure error={error} />;
  if (data === undefined) return null;
  const left = BigInt(amount) - reversed(data.pages.flatMap((page) => page.rows));
  const wentBack = BigInt(amount) - left;
  return (
    <div className="mt-4">
      {wentBack > 0n && (
        <p className="mb-2">
          {words.wentBack} <Money amount={wentBack} asset={asset} />
        </p>
      )}
      {left > 0n && (
        <FormDialog trigger={words.reverse} title={words.reverseTitle}>
          {(close) => <ReverseForm initiation={initiation} left={left} close={close} />}
        </FormDialog>
      )}
    </div>
  );
}

/** The money that has gone back. */
const reversed = (adjustments: readonly InitiationState[]): bigint =>
  adjustments
    .filter(({ status }) => status === "REVERSED")
    .reduce((sum, { amount = 0 }) => sum + BigInt(amount), 0n);
