import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useBulk } from '#console/core/bulk.ts'
import { text } from '#console/core/text.ts'
import { refOf } from '#console/messages/messages/message-ref.ts'
import { bulkDiscard as words } from './bulk-text.ts'
import { isDiscardable, requestDiscard, type Task } from '#console/tasks/tasks.ts'
import { Button } from '#console/ui/button.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { BulkSummary, SelectionBar, useReport } from '#console/ui/selection-bar.tsx'
import type { SelectedRows } from '#console/ui/selection.ts'

/** The action on the selected tasks. It cannot be undone, so it asks first. */
export default function TaskActions({
  selection,
  shown,
  isRest,
}: {
  selection: SelectedRows<Task>
  /** The number of loaded tasks. */
  shown: number
  /** More tasks match than are loaded. */
  isRest: boolean
}) {
  const { rows } = selection
  const client = useQueryClient()
  const bulk = useBulk()
  const [asks, setAsks] = useState(false)
  const { report, tell, close } = useReport()

  async function discard(): Promise<void> {
    setAsks(false)
    const outcome = await bulk.run({
      items: rows,
      nameOf: ({ guid }) => guid,
      atOnce: 1,
      call: ([task]) => requestDiscard(refOf(task!)).then(() => []),
      failed: words.failed,
    })
    void client.invalidateQueries({ queryKey: ['logs', 'message'] })
    await client.invalidateQueries({ queryKey: ['tasks'] })
    if (outcome) tell({ outcome }, { text: words.done(outcome.changed) })
  }

  const ended = rows.filter((task) => !isDiscardable(task)).length
  return (
    <>
      <SelectionBar selection={selection} shown={shown} isRest={isRest} bulk={bulk}>
        <Button needsServer disabled={rows.length === 0} onClick={() => setAsks(true)}>
          {words.discard}
        </Button>
      </SelectionBar>
      {asks && (
        <Modal title={words.title(rows.length)} onClose={() => setAsks(false)}>
          <div className="flex flex-col gap-3">
            <p>{words.means}</p>
            {ended > 0 && <p className="text-muted">{words.ended(ended)}</p>}
            <div className="flex flex-wrap justify-end gap-2 pt-1">
              <Button size="lg" onClick={() => setAsks(false)}>
                {text.cancel}
              </Button>
              <Button needsServer size="lg" tone="primary" onClick={() => void discard()}>
                {words.discard}
              </Button>
            </div>
          </div>
        </Modal>
      )}
      {report && <BulkSummary title={words.summary} outcome={report.outcome} onClose={close} />}
    </>
  )
}
