import { florin } from "#console/api/florin.ts";
import { Button } from "#console/parts/base/button.tsx";
import { ShownOnce } from "#console/parts/base/shown-once.tsx";
import { Form, FormDialog } from "#console/parts/forms/form.tsx";
import { useWrite } from "#console/parts/forms/use-write.ts";
import { Moment } from "#console/parts/time/moment.tsx";
import { accessWords } from "#console/places/access/words.ts";

/** A link for a person: to sign in once, or to choose a new password. */
type LinkKind = "signIn" | "password";

export const LinkButton = ({ id, of }: { readonly id: string; readonly of: LinkKind }) => (
  <FormDialog title={accessWords().people.link[of]} trigger={accessWords().people.link[of]}>
    {(close) => <LinkForm id={id} of={of} close={close} />}
  </FormDialog>
);

function LinkForm({
  id,
  of,
  close,
}: {
  readonly id: string;
  readonly of: LinkKind;
  readonly close: () => void;
}) {
  const words = accessWords().people;
  const write = useWrite((kind: LinkKind, options) =>
    kind === "signIn"
      ? florin.post("/api/florin/v1/sign-in-links", { body: { personId: id } }, options)
      : florin.post(
          "/api/florin/v1/users/{userId}/password-reset",
          { path: { userId: id } },
          options,
        ),
  );
  const made = write.output?.data;
  if (made === undefined) {
    return (
      <Form write={write} submit={words.makeLink} onSubmit={() => write.send(of)}>
        <p className="text-muted">{words.linkHints[of]}</p>
      </Form>
    );
  }
  return (
    <div className="space-y-4">
      <ShownOnce value={made.url} what={words.linkFor} />
      <p className="text-muted">
        {words.worksUntil} <Moment at={made.expiresAt} isWhole />
      </p>
      <div className="flex justify-end">
        <Button kind="primary" onClick={close}>
          {words.done}
        </Button>
      </div>
    </div>
  );
}
