/**
 * The operations that tests have called through the official client, as `v3.listPools ok` or `v3.listPools error`. The file
 * does not import the client itself, because that import takes a second.
 */
const calls = new Set<string>();
/** The operations whose calls threw the errors. */
const origins = new WeakMap<object, string>();

/** A client with the same members, whose calls are recorded. */
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

/** Records that a test has read the code of an error. */
export function recordTypedError(error: object): void {
  const operation = origins.get(error);
  if (operation !== undefined) calls.add(`${operation} error`);
}

/** The sorted calls of the test files of this worker so far. */
export const sdkCalls = (): string[] => [...calls].toSorted();

declare module "vitest" {
  interface TaskMeta {
    /** The calls of a worker through the official client, up to the end of this file. */
    sdkCalls?: string[];
  }
}
