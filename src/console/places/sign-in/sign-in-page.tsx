import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { asError, Door } from "./door.tsx";
import { signInWords } from "./words.ts";
import { session } from "#console/api/florin.ts";
import { Button } from "#console/parts/base/button.tsx";
import { Failure } from "#console/parts/base/states.tsx";

/** The page of somebody who is not signed in. */
export function SignInPage({ returnTo }: { readonly returnTo: string }) {
  const words = signInWords();
  const [error, setError] = useState<Error>();
  return (
    <Door title={words.title} intro={words.intro}>
      <Button
        kind="primary"
        onClick={() => {
          session.signIn(returnTo).catch((cause: unknown) => setError(asError(cause)));
        }}
      >
        {words.button}
      </Button>
      {error !== undefined && <Failure error={error} />}
    </Door>
  );
}

/** The page to which the sign-in page of the OAuth server leads back. */
export function CallbackPage() {
  const navigate = useNavigate();
  const [error, setError] = useState<Error>();
  useEffect(() => {
    let isOver = false;
    const callback = new URL(location.href);
    // The code leaves the address bar and the history before it is used.
    history.replaceState(null, "", callback.pathname);
    session
      .completeSignIn(callback)
      .then((path) => (isOver ? undefined : navigate({ href: path, replace: true })))
      .catch((cause: unknown) => setError(asError(cause)));
    return () => {
      isOver = true;
    };
  }, [navigate]);
  if (error === undefined) return null;
  return (
    <Door title={signInWords().failed} intro={signInWords().intro}>
      <Failure error={error} />
      <Button kind="primary" onClick={() => void session.signIn("/")}>
        {signInWords().button}
      </Button>
    </Door>
  );
}
