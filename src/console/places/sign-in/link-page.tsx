import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { asError, Door } from "./door.tsx";
import { signInWords } from "./words.ts";
import { ApiError } from "#console/api/errors.ts";
import { session } from "#console/api/florin.ts";
import { Button } from "#console/parts/base/button.tsx";
import { Failure } from "#console/parts/base/states.tsx";

const HOME = "/";

/** The page of a link that signs in once. The secret leaves the address bar and the history before it is used. */
export function LinkPage() {
  const words = signInWords();
  const navigate = useNavigate();
  const [secret] = useState(() => location.hash.slice(1));
  const [error, setError] = useState<Error>();
  const [isPending, setPending] = useState(false);
  useEffect(() => history.replaceState(null, "", location.pathname), []);
  const signIn = async (): Promise<void> => {
    setPending(true);
    try {
      await session.signInWithLink(secret);
      await navigate({ to: HOME, replace: true });
    } catch (cause) {
      setError(asError(cause));
    } finally {
      setPending(false);
    }
  };
  if (secret === "" || (error instanceof ApiError && error.status === 404)) {
    return (
      <Door title={words.link.spentTitle} intro={words.link.spent}>
        <Button kind="primary" onClick={() => void session.signIn(HOME)}>
          {words.button}
        </Button>
      </Door>
    );
  }
  return (
    <Door title={words.link.title} intro={words.link.intro}>
      <Button kind="primary" disabled={isPending} onClick={() => void signIn()}>
        {words.link.button}
      </Button>
      {error !== undefined && <Failure error={error} />}
    </Door>
  );
}
