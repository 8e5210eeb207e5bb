import { type Answer, deviceAnswers } from '@sdd/contract/fleet/device-protocol.ts'
import { topicOf } from '@sdd/contract/core/topic.ts'
import type { Connection } from './connection.ts'

type Answers = {
  give: (answer: Answer) => void
  opened: (connection: Pick<Connection, 'publish'>) => void
  closed: () => void
}

/** Orders come one at a time; a server that gives more does not fill the memory. */
const MOST_WAITING = 20

/**
 * Publishes the answers to orders. An answer without a PUBACK is published again at the next connection, because a restart
 * of the modem may cut it. The server drops repeats. Answers do not survive the end of the agent.
 */
export function openAnswers(uid: string): Answers {
  const topic = topicOf(deviceAnswers, { uid })
  const waiting = new Set<Answer>()
  let connection: Pick<Connection, 'publish'> | undefined

  function publish(answer: Answer): void {
    connection?.publish(topic, JSON.stringify(answer)).then(
      () => waiting.delete(answer),
      () => undefined,
    )
  }

  return {
    give(answer) {
      waiting.add(answer)
      for (const oldest of waiting) if (waiting.size > MOST_WAITING) waiting.delete(oldest)
      publish(answer)
    },
    opened(opened) {
      connection = opened
      for (const answer of waiting) publish(answer)
    },
    closed: () => void (connection = undefined),
  }
}
