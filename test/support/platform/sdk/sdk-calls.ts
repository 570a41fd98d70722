/**
 * Which operations tests have called through the official client, as `v3.listPools ok` or `v3.listPools error`. It is apart from the
 * client itself, whose import takes a second.
 */
const calls = new Set<string>();
/** The operations that errors come from. */
const origins = new WeakMap<object, string>();

/** The same client, whose calls are recorded. */
export function recorded<T extends object>(client: T, generation: string): T {
  return new Proxy(client, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      const operation = `${generation}.${String(name)}`;
      return (...args: unknown[]) => {
        const result: unknown = Reflect.apply(member, target, args);
        if (result instanceof Promise) follow(operation, result);
        return result;
      };
    },
  });
}

function follow(operation: string, result: Promise<unknown>): void {
  result.then(
    () => calls.add(`${operation} ok`),
    (error: unknown) => {
      if (typeof error === "object" && error !== null) origins.set(error, operation);
    },
  );
}

/** Records that a test has looked at the code of an error. */
export function recordTypedError(error: object): void {
  const operation = origins.get(error);
  if (operation !== undefined) calls.add(`${operation} error`);
}

/** What the files of this worker have called so far, sorted. */
export const sdkCalls = (): string[] => [...calls].toSorted();

declare module "vitest" {
  interface TaskMeta {
    /** What the tests of a worker have called through the official client, up to the end of this file. */
    sdkCalls?: string[];
  }
}
