import { openRests } from '#server/core/rests.ts'

type Leaving = { end(): unknown }

/**
 * Ends our side of connections that the other side has ended, in their order. Node hears of thousands that leave in one moment
 * within one turn: what that means is worked through in many, and nobody else has to wait for all of it.
 */
export function openLeaving(): (socket: Leaving) => void {
  let leaving: Leaving[] = []
  let going = false

  async function seeOff(): Promise<void> {
    const rest = openRests()
    while (leaving.length > 0) {
      const some = leaving
      leaving = []
      for (const socket of some) {
        socket.end()
        await rest()
      }
    }
    going = false
  }

  return (socket) => {
    leaving.push(socket)
    if (going) return
    going = true
    setImmediate(() => void seeOff())
  }
}
