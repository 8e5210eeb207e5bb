/** Does the work of one key in turn: each begins when the one before it has ended, however that ended. */
export type InTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>

export function openTurns(): InTurn {
  const last = new Map<string, Promise<unknown>>()
  return (key, work) => {
    const turn = Promise.resolve(last.get(key)).then(work, work)
    last.set(key, turn)
    const leave = () => void (last.get(key) === turn && last.delete(key))
    turn.then(leave, leave)
    return turn
  }
}
