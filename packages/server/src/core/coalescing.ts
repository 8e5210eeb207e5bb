/** Runs the work once for all callers with the same key that arrive while it runs. */
export type Coalesce<T> = (key: string, work: () => Promise<T>) => Promise<T>

export function openCoalescing<T>(): Coalesce<T> {
  const under_way = new Map<string, Promise<T>>()
  return (key, work) => {
    const known = under_way.get(key)
    if (known) return known
    const result = work()
    under_way.set(key, result)
    const forget = () => void under_way.delete(key)
    result.then(forget, forget)
    return result
  }
}
