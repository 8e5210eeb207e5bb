/** The functions to call when something changes. `listen` returns an unsubscribe function. */
export function openListeners() {
  const listeners = new Set<() => void>()
  return {
    listen: (listener: () => void): (() => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    tell: (): void => {
      for (const listener of listeners) listener()
    },
  }
}
