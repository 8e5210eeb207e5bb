import type { Receiver } from '#simulator/receiver.ts'
import { type Submitter, startSubmitter } from '#simulator/submitter.ts'
import { type ConsoleSender, startConsoleSender } from './console-sender.ts'

export type Load = {
  readonly tasks: Submitter
  readonly console: ConsoleSender
  /** Releases this many more messages. */
  release(messages: number): void
  released(): number
  /** The number of released messages that are not submitted yet. */
  waiting(): number
  /** The number of messages that the server has answered with 2xx. */
  acknowledged(): number
  /** Resolves once all released messages are submitted. */
  finish(): Promise<void>
  /** Submits no more. */
  abandon(): void
}

type Needs = {
  server_url: string
  /** An API key, and the session token of a user. */
  key: string
  token: string
  uids: readonly string[]
  receiver: Pick<Receiver, 'url'>
  seed: string
}

/** Every fifth message comes from the console, the others from another system. */
const CONSOLE_EVERY = 5
const LOOK_EVERY_MS = 20

/**
 * Submits the released messages, as fast as the server accepts them. It is paced by releases instead of the clock, so
 * that every life of a server has its share on any machine.
 */
export function startLoad({ server_url, key, token, uids, receiver, seed }: Needs): Load {
  let released = 0
  const fromConsole = () => Math.floor(released / CONSOLE_EVERY)
  const tasks = startSubmitter({
    server_url,
    key,
    count: Number.POSITIVE_INFINITY,
    rate: 0,
    due: () => released - fromConsole(),
    batch: 4,
    at_once: 4,
    repeated: 0.1,
    conflicting: 0.05,
    recipients: 300,
    receiver,
    seed,
    again_ms: 50,
  })
  const console = startConsoleSender({ server_url, token, uids, due: fromConsole, at_once: 3, seed })

  function taken(): number {
    let count = 0
    for (const { acknowledged } of tasks.tasks.values()) if (acknowledged) count++
    return count
  }

  return {
    tasks,
    console,
    release(messages) {
      released += messages
    },
    released: () => released,
    waiting: () => released - tasks.tasks.size - console.sent.length,
    acknowledged: () => taken() + console.sent.filter(({ guid }) => guid !== undefined).length,
    async finish() {
      await console.stop()
      while (taken() < released - fromConsole() && tasks.surprises.length === 0)
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
      tasks.stop()
      await tasks.finished
    },
    abandon() {
      tasks.stop()
      console.abandon()
    },
  }
}
