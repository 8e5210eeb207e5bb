import { setTimeout as sleep } from 'node:timers/promises'
import { CallFault, openClient } from '@sdd/contract/core/client.ts'
import { createTasks, type TaskResult } from '@sdd/contract/tasks/tasks.ts'
import { openRandom } from '#simulator/random.ts'
import type { Receiver } from '#simulator/receiver.ts'

export type SubmitterNeeds = {
  server_url: string
  /** An API key that may submit and read tasks. */
  key: string
  /** The number of tasks, and tasks per second; 0: as fast as the server answers. */
  count: number
  rate: number
  /** Instead of `rate`: how many tasks may be submitted by now. */
  due?: () => number
  /** Tasks per request, and concurrent requests. */
  batch: number
  at_once: number
  /** Shares of the tasks that are submitted again, with the same content and with other content. */
  repeated: number
  conflicting: number
  /** The number of recipients. */
  recipients: number
  /** The target of the callbacks; no callbacks if absent. */
  receiver?: Pick<Receiver, 'url'> | undefined
  /** The same seed makes the same tasks. */
  seed: string
  /** Delay before an unanswered request is retried. */
  again_ms?: number
}

export type Handed = {
  readonly guid: string
  readonly to_number: string
  readonly text: string
  readonly callback_url: string | undefined
  /** Answered with 2xx, so it must exist. */
  acknowledged: boolean
}

export type Submitter = {
  /** All submitted tasks, answered or not, by guid. */
  readonly tasks: ReadonlyMap<string, Handed>
  /** Unexpected answers. */
  readonly surprises: readonly string[]
  /** Requests that were retried after no answer or a 5xx. */
  retries: () => number
  /** Settles once each task was answered, or a while after `stop`. */
  finished: Promise<void>
  /** Submits no more. */
  stop: () => void
}

type Intent = 'new' | 'again' | 'conflict'
type Order = { task: Handed; intent: Intent; text: string }

const AGAIN_MS = 500

/**
 * Submits tasks like another system would, each with its own guid. Some are submitted again with the same content, and
 * some guids with other content. An unanswered request is retried, unchanged, until it is answered.
 */
export function startSubmitter(needs: SubmitterNeeds): Submitter {
  const { server_url, key, count, rate, batch, at_once, receiver, seed, again_ms = AGAIN_MS } = needs
  const { call } = openClient({ url: server_url, token: key })
  const random = openRandom(seed)
  const tasks = new Map<string, Handed>()
  const surprises: string[] = []
  let retries = 0
  let stopped = false
  let made = 0
  const began = performance.now()
  /** Repetitions and conflicts of tasks that exist already. */
  const echoes: Order[] = []

  function nextOrders(): Order[] {
    const due = Math.min(count, dueNow())
    const orders = echoes.splice(0, batch)
    while (made < due && orders.length < batch) {
      const task = makeTask(made++)
      tasks.set(task.guid, task)
      orders.push({ task, intent: 'new', text: task.text })
    }
    return orders
  }

  function dueNow(): number {
    if (needs.due) return needs.due()
    return rate === 0 ? count : Math.ceil((rate * (performance.now() - began)) / 1_000)
  }

  function makeTask(n: number): Handed {
    const to_number = `+34600${String(Math.floor(random.next() * needs.recipients)).padStart(6, '0')}`
    const text =
      `Task ${n} of ${seed}. ${'Lorem ipsum dolor sit amet. '.repeat(random.between([0, 3]))}`.trim()
    return { guid: `${seed}-${n}`, to_number, text, callback_url: receiver?.url, acknowledged: false }
  }

  async function work(): Promise<void> {
    while (!stopped && (made < count || echoes.length > 0)) {
      const orders = nextOrders()
      if (orders.length === 0) await sleep(10)
      else await handIn(orders)
    }
  }

  async function handIn(orders: readonly Order[]): Promise<void> {
    const written = orders.map(({ task: { guid, to_number, callback_url }, text }) => ({
      guid,
      to_number,
      text,
      ...(callback_url && { callback_url }),
    }))
    for (;;) {
      try {
        const results = await post(written)
        for (const [index, result] of results.entries()) hear(orders[index]!, result)
        return
      } catch (fault) {
        if (!(fault instanceof CallFault)) throw fault
        const mayPass = fault.status === 0 || fault.status >= 500 || fault.status === 429
        if (!mayPass) return void surprises.push(`${orders[0]!.task.guid}: ${fault.status} ${fault.message}`)
        if (stopped) return
        retries++
        await sleep((fault.retry_after_secs ?? 0) * 1_000 || again_ms)
      }
    }
  }

  async function post(written: readonly { guid: string; to_number: string; text: string }[]) {
    if (batch > 1) {
      const reply = await call(createTasks, { body: { tasks: [...written] } })
      return 'results' in reply ? reply.results : [reply]
    }
    const [task] = written
    const reply = await call(createTasks, { body: task! }).catch((fault: unknown) => {
      if (!(fault instanceof CallFault) || fault.status !== 409) throw fault
      return { guid: task!.guid, status: 'refused', code: fault.code } as const
    })
    return 'results' in reply ? reply.results : [reply]
  }

  function hear({ task, intent }: Order, { status, code }: TaskResult): void {
    const answer = code ?? status
    // A retried task may exist already, from a request whose answer was lost.
    const right = { new: ['received', 'repeated'], again: ['repeated'], conflict: ['guid_taken'] }[intent]
    if (!right.includes(answer)) surprises.push(`${task.guid}: submitted (${intent}), answered ${answer}`)
    if (intent !== 'new' || status === 'refused') return
    task.acknowledged = true
    if (random.chance(needs.repeated)) echoes.push({ task, intent: 'again', text: task.text })
    if (random.chance(needs.conflicting))
      echoes.push({ task, intent: 'conflict', text: `${task.text} But no.` })
  }

  return {
    tasks,
    surprises,
    retries: () => retries,
    finished: Promise.all(Array.from({ length: at_once }, work)).then(() => undefined),
    stop: () => (stopped = true),
  }
}
