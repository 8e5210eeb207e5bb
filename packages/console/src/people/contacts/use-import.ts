import { importContacts } from '@sdd/contract/people/contacts.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { callApi, faultText } from '#console/core/api.ts'
import { nextContacts, refusedOf, type ImportJob, type RefusedRow } from './import-rows.ts'
import { contactImport as words } from './import-text.ts'
import { formatCount } from '#console/ui/numbers.ts'
import { toast } from '#console/ui/toast.tsx'
import { useLeft } from '#console/ui/use-left.ts'

type Counts = { added: number; changed: number; unchanged: number }

export type ImportState = Counts & {
  phase: 'running' | 'stopped' | 'broken' | 'done'
  /** Rows that the server has answered. */
  done: number
  total: number
  refused: readonly RefusedRow[]
  /** The call that failed, if the phase is `broken`. */
  fault: unknown
}

/** An import in calls, one after the other. It can be stopped between two, and go on. */
export function useImport() {
  const queryClient = useQueryClient()
  const [state, setState] = useState<ImportState>()
  const job = useRef<ImportJob>(undefined)
  const stopped = useRef(false)
  const left = useLeft()

  async function run(from: ImportState): Promise<void> {
    if (!job.current) return
    const { rows, company } = job.current
    stopped.current = false
    let now: ImportState = { ...from, phase: 'running', fault: undefined }
    setState(now)
    while (now.done < rows.length && !stopped.current && !left.current) {
      const batch = await nextContacts(job.current, now.done)
      try {
        const answer = await callApi(importContacts, { query: { company }, body: { rows: batch } })
        now = {
          ...now,
          added: now.added + answer.added,
          changed: now.changed + answer.changed,
          unchanged: now.unchanged + answer.unchanged,
          done: now.done + batch.length,
          refused: [...now.refused, ...refusedOf(job.current, now.done, answer.refused)],
        }
        setState(now)
      } catch (fault) {
        now = { ...now, phase: 'broken', fault }
        break
      }
    }
    if (now.phase === 'running') now = { ...now, phase: now.done < rows.length ? 'stopped' : 'done' }
    setState(now)
    void queryClient.invalidateQueries({ queryKey: ['contacts'] })
    // The user has left the screen, which would say it.
    if (left.current && now.phase !== 'done')
      toast({ text: words.leftHalf(formatCount(now.done), formatCount(rows.length)) })
  }

  return {
    state,
    /** `refused` are the rows that were found to be no contacts before. */
    start(next: ImportJob, refused: readonly RefusedRow[]): void {
      job.current = next
      void run({
        phase: 'running',
        added: 0,
        changed: 0,
        unchanged: 0,
        done: 0,
        total: next.rows.length,
        refused,
        fault: undefined,
      })
    },
    stop: () => void (stopped.current = true),
    /** Goes on with the first row that has no answer. Rows that were stored already stay unchanged. */
    resume: () => void (state && run(state)),
    clear: () => setState(undefined),
  }
}

export type Import = ReturnType<typeof useImport>

/** Why a call failed, in a sentence. */
export function importFault({ fault }: ImportState): string {
  return faultText(fault, words.failed)
}
