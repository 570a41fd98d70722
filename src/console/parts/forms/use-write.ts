import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { WriteCall, type WireRequest } from "#console/api/client.ts";
import { stringifyJson } from "#platform/json.ts";

interface WriteOptions<In, Out> {
  /** The beginnings of the keys of the queries whose answers the write changes. */
  readonly refresh?: readonly QueryKey[];
  /** What follows a write that succeeded, such as leaving the form. */
  readonly onDone?: (output: Out, input: In) => void | Promise<void>;
}

/** A write that a page offers. */
export interface Write<In, Out> {
  /** Sends the write. While it is sent, a second call does nothing. */
  readonly send: (input: In) => void;
  readonly isSending: boolean;
  readonly error: Error | null;
  /** The answer of the last write; undefined before it, and while the next one is sent. */
  readonly output: Out | undefined;
  /** Forgets the answer and the error. */
  readonly reset: () => void;
}

let recorder: ((request: WireRequest) => void) | undefined;

/**
 * The requests that the writes of `act` would send, instead of sending them. Of a write that needs the answer of its first request for the
 * next one, only the first is known.
 */
export function recordWrites(act: () => void): readonly WireRequest[] {
  const requests: WireRequest[] = [];
  recorder = (request) => void requests.push(request);
  try {
    act();
  } finally {
    recorder = undefined;
  }
  return requests;
}

/**
 * A write of a page. Its idempotency key is made when the form opens, and stays for repetitions of equal input, so that a double click or a
 * lost answer is one write. Changed input and a next write after success are new writes, and have new keys.
 */
export function useWrite<In, Out>(
  write: (input: In, call: WriteCall) => Promise<Out>,
  { refresh = [], onDone }: WriteOptions<In, Out> = {},
): Write<In, Out> {
  const queries = useQueryClient();
  const attempt = useRef<{ readonly input: string; readonly key: string }>(undefined);
  const { mutate, isPending, error, data, reset } = useMutation<Out, Error, In>({
    mutationFn: (input) => {
      const text = stringifyJson([input]);
      if (attempt.current?.input !== text)
        attempt.current = { input: text, key: crypto.randomUUID() };
      return write(input, new WriteCall(attempt.current.key));
    },
    onSuccess: async (output, input) => {
      attempt.current = undefined;
      await Promise.all(refresh.map((queryKey) => queries.invalidateQueries({ queryKey })));
      await onDone?.(output, input);
    },
  });
  const send = (input: In): void => {
    if (recorder !== undefined) {
      const record = recorder;
      const shown = async (): Promise<unknown> => write(input, new WriteCall(undefined, record));
      shown().catch(() => {}); // A write that fails before its request has none to show.
    } else if (!isPending) mutate(input);
  };
  return { send, isSending: isPending, error, output: data, reset };
}
