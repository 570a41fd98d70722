import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { florin } from "#console/api/florin.ts";
import { Button } from "#console/parts/base/button.tsx";
import { TextField } from "#console/parts/forms/fields.tsx";
import { ConfirmButton, Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { type Booking, PAYMENTS_KEY } from "#console/places/payments/common/queries.ts";
import { paymentWords } from "#console/places/payments/words.ts";

/** What can be done with a booking. */
export const BookingActions = ({ booking }: { readonly booking: Booking }) => (
  <>
    <PauseOrResume booking={booking} />
    <FormDialog trigger={paymentWords().bookings.rebuild} title={paymentWords().bookings.rebuild}>
      {(close) => <RebuildForm booking={booking} close={close} />}
    </FormDialog>
    <EndBooking booking={booking} />
  </>
);

function PauseOrResume({ booking: { id, state } }: { readonly booking: Booking }) {
  const words = paymentWords().bookings;
  const change = useWrite(
    (verb: "pause" | "resume", options) =>
      verb === "pause"
        ? florin.post(
            "/api/florin/v1/payments/bookings/{bookingID}/pause",
            { path: { bookingID: id } },
            options,
          )
        : florin.post(
            "/api/florin/v1/payments/bookings/{bookingID}/resume",
            { path: { bookingID: id } },
            options,
          ),
    { refresh: [PAYMENTS_KEY] },
  );
  const verb = state === "RUNNING" ? "pause" : "resume";
  return (
    <Button onClick={() => change.send(verb)} disabled={change.isSending}>
      {words[verb]}
    </Button>
  );
}

function RebuildForm({
  booking: { id, schemaVersion, template },
  close,
}: {
  readonly booking: Booking;
  readonly close: () => void;
}) {
  const words = paymentWords().bookings;
  const [values, setValues] = useState({ ledger: "", schemaVersion, template });
  const rebuild = useWrite(
    (body: typeof values, options) =>
      florin.post(
        "/api/florin/v1/payments/bookings/{bookingID}/rebuild",
        { path: { bookingID: id }, body },
        options,
      ),
    { refresh: [PAYMENTS_KEY], onDone: close },
  );
  return (
    <Form write={rebuild} submit={words.rebuild} isRisky onSubmit={() => rebuild.send(values)}>
      <p>{words.rebuildMeaning}</p>
      <p className="text-muted">{words.rebuildStays}</p>
      <TextField
        label={words.emptyLedger}
        value={values.ledger}
        onChange={(ledger) => setValues({ ...values, ledger })}
        isRequired
        isCode
      />
      <TextField
        label={words.schemaVersion}
        value={values.schemaVersion}
        onChange={(next) => setValues({ ...values, schemaVersion: next })}
        isRequired
        isCode
      />
      <TextField
        label={words.template}
        value={values.template}
        onChange={(next) => setValues({ ...values, template: next })}
        isRequired
        isCode
      />
    </Form>
  );
}

function EndBooking({ booking: { id } }: { readonly booking: Booking }) {
  const words = paymentWords().bookings;
  const navigate = useNavigate();
  const end = useWrite(
    (_: undefined, options) =>
      florin.delete(
        "/api/florin/v1/payments/bookings/{bookingID}",
        { path: { bookingID: id } },
        options,
      ),
    {
      refresh: [[...PAYMENTS_KEY, "bookings"]],
      onDone: () => navigate({ to: "/payments/bookings" }),
    },
  );
  return (
    <ConfirmButton
      trigger={words.end}
      title={words.endTitle}
      submit={words.end}
      write={end}
      onConfirm={() => end.send(undefined)}
    >
      <p>{words.endMeaning}</p>
    </ConfirmButton>
  );
}
