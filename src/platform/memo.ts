/**
 * Computes a value once for each environment object: settings, key sets. It is a cache that lives as long as the
 * isolate, never a place for state.
 */
export function memoByEnv<E extends object, V>(compute: (env: E) => V): (env: E) => V {
  const values = new WeakMap<E, V>();
  return (env) => {
    const known = values.get(env);
    if (known !== undefined) return known;
    const value = compute(env);
    values.set(env, value);
    return value;
  };
}
