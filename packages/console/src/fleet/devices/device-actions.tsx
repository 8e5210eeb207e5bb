import { ChangedDevices, changeDevices, type DeviceChange } from '@sdd/contract/fleet/devices.ts'
import { CallFault } from '@sdd/contract/core/client.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi, faultText } from '#console/core/api.ts'
import { useBulk, type BulkOutcome, type Refused } from '#console/core/bulk.ts'
import { deviceBulk as words } from './bulk-text.ts'
import { LimitDialog } from './limit-dialog.tsx'
import { Button } from '#console/ui/button.tsx'
import { BulkSummary, SelectionBar } from '#console/ui/selection-bar.tsx'
import { selecting } from '#console/ui/selection-text.ts'
import type { SelectedRows } from '#console/ui/selection.ts'
import { toast } from '#console/ui/toast.tsx'

/** Devices per call, so that the progress is seen. */
const AT_ONCE = 50

type Switchable = 'enabled' | 'max_sms_dayly'
type Changeable = { uid: string; enabled?: boolean; max_sms_dayly?: number | undefined }
type Said = (count: number) => string

type Props = {
  selection: SelectedRows<Changeable>
  /** The number of devices that match the filter. */
  shown: number
  /** Enables and disables, too. */
  switches?: boolean
}

/** The actions on the selected devices. A change can be undone, and refusals are listed. */
export default function DeviceActions({ selection, shown, switches = false }: Props) {
  const { rows } = selection
  const client = useQueryClient()
  const bulk = useBulk()
  const [limiting, setLimiting] = useState(false)
  const [report, setReport] = useState<{ outcome: BulkOutcome; undo: (() => void) | undefined }>()

  /** Makes the change; returns the devices that were not refused, as they were before. */
  async function change(devices: readonly Changeable[], change: DeviceChange) {
    const outcome = await bulk.run({
      items: devices.map(({ uid }) => uid),
      nameOf: (uid) => uid,
      atOnce: AT_ONCE,
      call: (uids) => changeThese(uids, change),
      failed: words.failed,
    })
    await Promise.all(['devices', 'settings'].map((noun) => client.invalidateQueries({ queryKey: [noun] })))
    const refused = new Set(outcome?.refused.map(({ name }) => name))
    const tried = devices.slice(0, devices.length - (outcome?.left ?? devices.length))
    return { outcome, changed: tried.filter(({ uid }) => !refused.has(uid)) }
  }

  async function apply<Field extends Switchable>(field: Field, value: Changeable[Field], said: Said) {
    const { outcome, changed } = await change(rows, { [field]: value })
    if (!outcome) return
    const undo = changed.length > 0 ? () => void restore(field, changed) : undefined
    if (outcome.refused.length > 0 || outcome.left > 0) setReport({ outcome, undo })
    else toast({ text: said(changed.length), action: undo && { label: selecting.undo, run: undo } })
  }

  /** Gives the devices their former values. The bar may be closed meanwhile, so a toast tells the outcome. */
  async function restore(field: Switchable, devices: readonly Changeable[]) {
    let undone = 0
    for (const [before, some] of Map.groupBy(devices, (device) => device[field]))
      undone += (await change(some, { [field]: before })).changed.length
    const failed = devices.length - undone
    toast({ text: failed > 0 ? selecting.outcome(undone, failed) : words.undone(undone) })
  }

  function enable(enabled: boolean): void {
    void apply('enabled', enabled, enabled ? words.enabled : words.disabled)
  }

  return (
    <>
      <SelectionBar selection={selection} shown={shown} bulk={bulk}>
        {switches && (
          <>
            <Button needsServer disabled={rows.length === 0} onClick={() => enable(true)}>
              {words.enable}
            </Button>
            <Button needsServer disabled={rows.length === 0} onClick={() => enable(false)}>
              {words.disable}
            </Button>
          </>
        )}
        <Button needsServer disabled={rows.length === 0} onClick={() => setLimiting(true)}>
          {words.limit}
        </Button>
      </SelectionBar>
      {limiting && (
        <LimitDialog
          title={words.limitTitle(rows.length)}
          onClose={() => setLimiting(false)}
          onLimit={(limit) => {
            setLimiting(false)
            void apply('max_sms_dayly', limit, (count) => words.limited(count, String(limit)))
          }}
        />
      )}
      {report && (
        <BulkSummary
          title={words.summary}
          outcome={report.outcome}
          undo={
            report.undo &&
            (() => {
              setReport(undefined)
              report.undo?.()
            })
          }
          onClose={() => setReport(undefined)}
        />
      )}
    </>
  )
}

/** Makes the same change to these devices; returns the refused ones. */
async function changeThese(uids: readonly string[], change: DeviceChange): Promise<Refused[]> {
  const { refused } = await callApi(changeDevices, { body: { uids: [...uids], change } }, (body) =>
    ChangedDevices.parse(body),
  )
  return refused.map((one) => ({
    name: one.uid,
    said: faultText(new CallFault(one.detail, { status: 409, body: one }), words.failed),
  }))
}
