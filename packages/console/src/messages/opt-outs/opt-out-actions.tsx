import type { OptOut } from '@sdd/contract/messages/opt-outs.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useBulk } from '#console/core/bulk.ts'
import { optOuts as words } from './text.ts'
import { liftBlock } from './calls.ts'
import { ConfirmLift } from './confirm-lift.tsx'
import { Button } from '#console/ui/button.tsx'
import { BulkSummary, SelectionBar, useReport } from '#console/ui/selection-bar.tsx'
import type { SelectedRows } from '#console/ui/selection.ts'

/** The action on the selected opt-outs. It cannot be undone: the reasons and dates would be lost. So it asks first. */
export default function OptOutActions({
  selection,
  shown,
  isRest,
}: {
  selection: SelectedRows<OptOut>
  /** The number of loaded opt-outs. */
  shown: number
  /** More opt-outs match than are loaded. */
  isRest: boolean
}) {
  const { rows } = selection
  const client = useQueryClient()
  const bulk = useBulk()
  const [asks, setAsks] = useState(false)
  const { report, tell, close } = useReport()

  async function lift(): Promise<void> {
    setAsks(false)
    const outcome = await bulk.run({
      items: rows,
      nameOf: ({ number }) => number,
      atOnce: 1,
      call: ([optOut]) => liftBlock(optOut!.id).then(() => []),
      failed: words.liftFailed,
    })
    await client.invalidateQueries({ queryKey: ['opt_outs'] })
    if (outcome) tell({ outcome }, { text: words.liftedSeveral(outcome.changed) })
  }

  return (
    <>
      <SelectionBar selection={selection} shown={shown} isRest={isRest} bulk={bulk}>
        <Button needsServer disabled={rows.length === 0} onClick={() => setAsks(true)}>
          {words.lift}
        </Button>
      </SelectionBar>
      {asks && (
        <ConfirmLift
          count={rows.length}
          asked={rows.filter(({ text }) => text !== null).length}
          onConfirm={() => void lift()}
          onClose={() => setAsks(false)}
        />
      )}
      {report && <BulkSummary title={words.summary} outcome={report.outcome} onClose={close} />}
    </>
  )
}
