import { setImmediate as nextTurn } from 'node:timers/promises'

/** Keys per statement. This limits how long one takes. */
const AT_ONCE = 200

/**
 * Look-ups that are wanted in the same turn of the event loop share one statement: when many devices connect at once,
 * one statement each would take most of the time. `read` returns the answers in the order of the keys, or rejects for
 * all of them.
 */
export function openLookUps<Key, Answer>(
  read: (keys: readonly Key[]) => Promise<readonly Answer[]>,
): (key: Key) => Promise<Answer> {
  type Call = { key: Key; resolve(answer: Answer): void; reject(error: unknown): void }
  let waiting: Call[] = []

  async function ask(): Promise<void> {
    await nextTurn()
    const called = waiting
    waiting = []
    while (called.length > 0) void answer(called.splice(0, AT_ONCE))
  }

  async function answer(calls: readonly Call[]): Promise<void> {
    try {
      const answers = await read(calls.map(({ key }) => key))
      for (const [index, { resolve }] of calls.entries()) resolve(answers[index]!)
    } catch (error) {
      for (const { reject } of calls) reject(error)
    }
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      if (waiting.length === 1) void ask()
    })
}
