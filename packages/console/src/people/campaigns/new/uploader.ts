import type { NewCampaignRow } from '@sdd/contract/people/campaign-rows.ts'
import { nextRows, type UploadPlan } from './rows.ts'

export type UploadState = {
  phase: 'none' | 'waiting' | 'running' | 'broken' | 'done'
  done: number
  total: number
  fault: unknown
}

export const NOT_UPLOADED: UploadState = { phase: 'none', done: 0, total: 0, fault: undefined }

type Body = { first_row: number; rows: NewCampaignRow[]; last: boolean; of: number }

/**
 * Uploads the rows of a draft in calls, one after the other. Another plan ends the upload that runs and begins again;
 * it waits `pause_ms`, because columns are often changed one after the other.
 */
export function openUploader({
  send,
  show,
  pause_ms,
}: {
  send: (id: number, body: Body) => Promise<unknown>
  show: (state: UploadState) => void
  pause_ms: number
}) {
  let [id, plan]: [number | undefined, UploadPlan | undefined] = [undefined, undefined]
  let state = NOT_UPLOADED
  /** The upload that counts. An older one ends after its call. */
  let turn = 0
  let last: Promise<void> = Promise.resolve()

  function now(next: Partial<UploadState>): void {
    state = { ...state, ...next }
    show(state)
  }

  function begin(from: number): void {
    const mine = ++turn
    if (plan === undefined) return now(NOT_UPLOADED)
    now({ phase: 'waiting', done: from, total: plan.rows.length, fault: undefined })
    if (id === undefined) return
    const [draft, uploaded, pause] = [id, plan, from === 0 ? pause_ms : 0]
    // Not before the call of an older upload has its answer: it would replace rows of this one.
    last = last.then(() => run(mine, draft, uploaded, from, pause))
  }

  async function run(mine: number, draft: number, uploaded: UploadPlan, from: number, pause: number) {
    if (mine !== turn) return
    await new Promise((rested) => setTimeout(rested, pause))
    let done = from
    const total = uploaded.rows.length
    while (mine === turn && (done < total || done === 0)) {
      now({ phase: 'running', done })
      const rows = await nextRows(uploaded, done)
      if (mine !== turn) return
      const isLast = done + rows.length >= total
      try {
        await send(draft, { first_row: done + 1, rows, last: isLast, of: total })
      } catch (fault) {
        if (mine === turn) now({ phase: 'broken', fault })
        return
      }
      done += rows.length
      if (isLast) break
    }
    if (mine === turn) now({ phase: 'done', done })
  }

  return {
    /** The rows to upload; undefined for none. */
    give(next: UploadPlan | undefined): void {
      plan = next
      begin(0)
    },
    /** The draft that they belong to. */
    attach(draft: number): void {
      if (id === draft) return
      id = draft
      if (plan) begin(0)
    },
    /** Continues with the call that failed. */
    resume: () => begin(state.done),
    /** Ends the upload after its call. Stored rows stay. */
    leave: () => void turn++,
  }
}
