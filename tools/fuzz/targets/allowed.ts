type Errors = abstract new (...args: never[]) => Error

/** The result of `work`, or the one error that it may throw. Any other error is rethrown as a finding. */
export function orAllowed<T, E extends Errors>(
  allowed: E,
  work: () => T,
): { value: T } | { error: InstanceType<E> } {
  try {
    return { value: work() }
  } catch (error) {
    if (error instanceof allowed) return { error: error as InstanceType<E> }
    throw error
  }
}
