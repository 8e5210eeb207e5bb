/** Does a work once for all who ask for it by the same key while it is under way. */
export type Joining<T> = (key: string, work: () => Promise<T>) => Promise<T>

export function openJoining<T>(): Joining<T> {
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
