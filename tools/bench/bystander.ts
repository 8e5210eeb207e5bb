import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

/** An idle thread: any delay of it comes from the machine, and delays everything else on it too. */
export type Bystander = {
  /** Its longest delay since the last call, in ms. */
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
