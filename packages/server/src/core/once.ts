/** Calls `make` when its result is first asked for, and only then. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
