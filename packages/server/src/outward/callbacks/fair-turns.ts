/** Starts the work when it is its key's turn. Settles with the result of the work. */
type InTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>

/** Runs at most `overall` jobs at once, and at most `each` per key. Jobs of a key start in order; keys take turns. */
export function openFairTurns({ overall, each }: { overall: number; each: number }): InTurn {
  /** By key; the key whose turn is next comes first. */
  const waiting = new Map<string, (() => void)[]>()
  const under_way = new Map<string, number>()
  let all = 0

  function beginSome(): void {
    // A key that had its turn moves to the end of the map, so this loop reaches it again.
    for (const [key, works] of waiting) {
      if (all >= overall) return
      if ((under_way.get(key) ?? 0) >= each) continue
      const begin = works.shift()!
      waiting.delete(key)
      if (works.length > 0) waiting.set(key, works)
      begin()
    }
  }

  function count(key: string, change: 1 | -1): void {
    all += change
    const left = (under_way.get(key) ?? 0) + change
    if (left > 0) under_way.set(key, left)
    else under_way.delete(key)
  }

  return (key, work) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const turn = promise.then(work).finally(() => {
      count(key, -1)
      beginSome()
    })
    waiting
      .getOrInsertComputed(key, () => [])
      .push(() => {
        count(key, 1)
        resolve()
      })
    beginSome()
    return turn
  }
}
