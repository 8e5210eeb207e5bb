import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createApiKey } from '../packages/contract/src/accounts/api-keys.ts'
import { openClient } from '../packages/contract/src/core/client.ts'
import { createTasks, type NewTask } from '../packages/contract/src/tasks/tasks.ts'
import { startReceiver } from '../packages/simulator/src/receiver.ts'

const EVERY_MS = 5_000
const TEXTS = [
  'Your order is on its way.',
  'Your code is 482 913. Do not share it.',
  'Reminder: your appointment is tomorrow at 10:30.',
  'Su pedido 88213 está en camino.',
  'La cita de mañana se ha movido a las 12:15.',
]

/**
 * Another system of the demo: it submits a task every few seconds, and receives their callbacks. It answers some with an
 * error, so that they are repeated.
 */
export async function startTasks({ url, token, folder }: { url: string; token: string; folder: string }) {
  const { key, webhook_secret } = await findKey()
  const receiver = await startReceiver({ webhook_secret, refusing: 0.05 })
  const { call } = openClient({ url, token: key })
  let n = 0
  const timer = setInterval(() => {
    const to_number = `+34600111${String(Math.floor(Math.random() * 1_000)).padStart(3, '0')}`
    const text = TEXTS[n++ % TEXTS.length]!
    // A task that is lost while the server stops does not matter.
    call(createTasks, { body: { to_number, text, callback_url: receiver.url } }).catch(() => undefined)
  }, EVERY_MS)

  /** The demo's own key, made at its first start and stored next to its devices. */
  async function findKey(): Promise<{ key: string; webhook_secret: string }> {
    const path = join(folder, 'shop.json')
    try {
      return JSON.parse(readFileSync(path, 'utf8')) as { key: string; webhook_secret: string }
    } catch {
      const made = await openClient({ url, token }).call(createApiKey, {
        query: {},
        body: { name: 'Demo shop' },
      })
      writeFileSync(path, JSON.stringify(made), { mode: 0o600 })
      return made
    }
  }

  return {
    /** Submits these too. A task that was submitted before is not repeated. */
    async submit(tasks: readonly NewTask[]): Promise<void> {
      const callback_url = receiver.url
      await call(createTasks, { body: { tasks: tasks.map((task) => ({ ...task, callback_url })) } })
    },
    stop() {
      clearInterval(timer)
      return receiver.stop()
    },
  }
}
