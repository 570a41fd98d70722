import { useRouter } from "@tanstack/react-router";
import { type ComponentProps, type MouseEvent, useCallback } from "react";

/**
 * A link to a path of the console that is known only as a text, such as the page of a search result: `/ledgers/main/transactions/7`. A link to
 * a page of the own place is a `Link`, whose parameters are checked by their types.
 */
export function PathLink({
  to,
  onClick,
  children,
  ...props
}: Omit<ComponentProps<"a">, "href"> & { readonly to: string }) {
  const go = useGo();
  const href = useHref(to);
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event);
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a {...props} href={href} onClick={follow}>
      {children}
    </a>
  );
}

/** The function that goes to a path of the console. */
export function useGo(): (path: string) => void {
  const router = useRouter();
  return useCallback((path) => void router.navigate({ href: path }), [router]);
}

function useHref(path: string): string {
  const { history, basepath } = useRouter();
  return history.createHref(`${basepath.replace(/\/$/, "")}${path}`);
}
