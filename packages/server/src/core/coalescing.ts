/** Runs the work once for all callers with the same key that arrive while it runs. */
type Coalesce<T> = (key: string, work: () => Promise<T>) => Promise<T>

export function openCoalescing<T>(): Coalesce<T> {
  const running = new Map<string, Promise<T>>()
  return (key, work) => {
    const known = running.get(key)
    if (known) return known
    const result = work()
    running.set(key, result)
    const forget = () => void running.delete(key)
    result.then(forget, forget)
    return result
  }
}
