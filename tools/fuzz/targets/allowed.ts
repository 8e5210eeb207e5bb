/** The result of `work`, or the one error that it may throw. Any other error is rethrown as a finding. */
export function orAllowed<T, E extends Error>(
  allowed: abstract new (...args: never) => E,
  work: () => T,
): { value: T } | { error: E } {
  try {
    return { value: work() }
  } catch (error) {
    if (error instanceof allowed) return { error }
    throw error
  }
}
