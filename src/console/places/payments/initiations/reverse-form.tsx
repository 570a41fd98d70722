import { useState } from "react";
import type { Initiation } from "./queries.ts";
import { florin } from "#console/api/florin.ts";
import { TextField } from "#console/parts/forms/fields.tsx";
import { Form } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { locale } from "#console/parts/language/words.ts";
import { AmountField } from "#console/parts/money/amount-field.tsx";
import { parseAsset, toDecimal } from "#console/parts/money/asset.ts";
import { Money } from "#console/parts/money/money.tsx";
import { parseAmount } from "#console/parts/money/parse-amount.ts";
import { PAYMENTS_KEY } from "#console/places/payments/common/queries.ts";
import { paymentWords } from "#console/places/payments/words.ts";

/** The form that brings back all or a part of the money of an initiation. */
export function ReverseForm({
  initiation: { id, asset, reference },
  left,
  close,
}: {
  readonly initiation: Initiation;
  /** The amount that has not gone back yet. */
  readonly left: bigint;
  readonly close: () => void;
}) {
  const words = paymentWords().initiations;
  const [values, setValues] = useState(() => ({
    amount: toDecimal(left, parseAsset(asset)) as string,
    reference: `${reference}-back`,
    description: "",
  }));
  const reverse = useWrite(
    (body: typeof values, options) =>
      florin.post(
        "/api/payments/v3/payment-initiations/{paymentInitiationID}/reverse",
        {
          path: { paymentInitiationID: id },
          body: { ...body, asset, amount: parseAmount(body.amount, asset, locale) ?? 0n },
        },
        options,
      ),
    { refresh: [PAYMENTS_KEY], onDone: close },
  );
  return (
    <Form write={reverse} submit={words.reverse} isRisky onSubmit={() => reverse.send(values)}>
      <p>
        {words.reverseMeaning} <Money amount={left} asset={asset} />
      </p>
      <AmountField
        label={paymentWords().fields.amount}
        value={values.amount}
        onChange={(amount) => setValues({ ...values, amount })}
        asset={asset}
      />
      <TextField
        label={paymentWords().fields.reference}
        value={values.reference}
        onChange={(next) => setValues({ ...values, reference: next })}
        isRequired
        isCode
        hint={words.reverseReference}
      />
      <TextField
        label={words.description}
        value={values.description}
        onChange={(description) => setValues({ ...values, description })}
      />
    </Form>
  );
}
