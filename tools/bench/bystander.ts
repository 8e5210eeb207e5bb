import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

/** A thread that does nothing: what holds it up is the machine, and holds up everything else on it. */
export type Bystander = {
  /** For how long, at most, it waited since it was last asked, in ms. */
  longest(): Promise<number>
  close(): Promise<unknown>
}

export function openBystander(): Bystander {
  const thread = new Worker(join(import.meta.dirname, 'bystander-thread.ts'))
  thread.unref()
  return {
    async longest() {
      const answer = once(thread, 'message')
      thread.postMessage('longest')
      const [ms] = (await answer) as [number]
      return ms
    },
    close: () => thread.terminate(),
  }
}
