import {
  ChangedDevices,
  changeDevices,
  MAX_DEVICES,
  type CommonChange,
  type DeviceChange,
} from '@sdd/contract/fleet/device-changes.ts'
import { CallFault } from '@sdd/contract/core/client.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi, faultText } from '#console/core/api.ts'
import { useBulk, type Refused } from '#console/core/bulk.ts'
import { deviceBulk as words } from './bulk-text.ts'
import { cacheChange, changedBy, showChange } from './calls.ts'
import { maintenanceOf, type Device } from './devices.ts'
import { LimitDialog } from './limit-dialog.tsx'
import { MaintenanceDialog } from './maintenance-dialog.tsx'
import { TagsDialog } from './tags-dialog.tsx'
import { Button } from '#console/ui/button.tsx'
import { BulkSummary, SelectionBar, useReport } from '#console/ui/selection-bar.tsx'
import { selecting } from '#console/ui/selection-text.ts'
import type { SelectedRows } from '#console/ui/selection.ts'
import { toast } from '#console/ui/toast.tsx'

type Changeable = { uid: string } & Partial<
  Pick<Device, 'enabled' | 'max_sms_dayly' | 'tags' | 'maintenance_until'>
>
type Said = (count: number) => string

type Props = {
  selection: SelectedRows<Changeable>
  /** The number of devices that match the filter. */
  shown: number
  /** Changes more than limits. */
  full?: boolean
}

/** The actions on the selected devices. A change is shown at once and can be undone, and refusals are listed. */
export default function DeviceActions({ selection, shown, full = false }: Props) {
  const { rows } = selection
  const client = useQueryClient()
  const bulk = useBulk()
  const [asks, setAsks] = useState<'limit' | 'tags' | 'maintenance'>()
  const { report, tell, close: closeReport } = useReport()
  const close = () => setAsks(undefined)

  /** Makes the change; returns the devices that were not refused, as they were before. */
  async function change(devices: readonly Changeable[], change: CommonChange) {
    const shown = showChange(client, uidsOf(devices), (device) => changedBy(device, change))
    const outcome = await bulk.run({
      items: devices.map(({ uid }) => uid),
      nameOf: (uid) => uid,
      atOnce: MAX_DEVICES,
      call: (uids) => changeThese(uids, change),
      failed: words.failed,
    })
    shown()
    const refused = new Set(outcome?.refused.map(({ name }) => name))
    const tried = devices.slice(0, devices.length - (outcome?.left ?? devices.length))
    const changed = tried.filter(({ uid }) => !refused.has(uid))
    const before = new Map(devices.map((device) => [device.uid, device]))
    for (const { uid } of changed) before.delete(uid)
    cacheChange(client, new Set(before.keys()), (device) => ({
      ...device,
      ...formerValues(before.get(device.uid)!, change),
    }))
    await Promise.all(['devices', 'settings'].map((noun) => client.invalidateQueries({ queryKey: [noun] })))
    return { outcome, changed }
  }

  async function apply(asked: CommonChange, said: Said) {
    close()
    const { outcome, changed } = await change(rows, asked)
    if (!outcome) return
    const undo = changed.length > 0 ? () => void restore(changed, asked) : undefined
    const action = undo && { label: selecting.undo, run: undo }
    tell({ outcome, undo }, { text: said(changed.length), action })
  }

  /** Gives the devices their former values. The bar may be closed meanwhile, so a toast tells the outcome. */
  async function restore(devices: readonly Changeable[], asked: CommonChange) {
    let undone = 0
    const alike = Map.groupBy(devices, (device) => JSON.stringify(formerValues(device, asked)))
    for (const some of alike.values())
      undone += (await change(some, formerValues(some[0]!, asked))).changed.length
    const failed = devices.length - undone
    toast({ text: failed > 0 ? selecting.outcome(undone, failed) : words.undone(undone) })
  }

  const none = rows.length === 0
  return (
    <>
      <SelectionBar selection={selection} shown={shown} bulk={bulk}>
        {full && (
          <>
            <Button needsServer disabled={none} onClick={() => void apply({ enabled: true }, words.enabled)}>
              {words.enable}
            </Button>
            <Button
              needsServer
              disabled={none}
              onClick={() => void apply({ enabled: false }, words.disabled)}
            >
              {words.disable}
            </Button>
            <Button needsServer disabled={none} onClick={() => setAsks('tags')}>
              {words.tags}
            </Button>
            <Button needsServer disabled={none} onClick={() => setAsks('maintenance')}>
              {words.maintenance}
            </Button>
          </>
        )}
        <Button needsServer disabled={none} onClick={() => setAsks('limit')}>
          {words.limit}
        </Button>
      </SelectionBar>
      {asks === 'limit' && (
        <LimitDialog
          title={words.limitTitle(rows.length)}
          onClose={close}
          onLimit={(limit) =>
            void apply({ max_sms_dayly: limit }, (count) => words.limited(count, String(limit)))
          }
        />
      )}
      {asks === 'tags' && (
        <TagsDialog
          title={words.tagsTitle(rows.length)}
          devices={rows}
          onClose={close}
          onTags={(tags) => void apply(tags, words.tagged)}
        />
      )}
      {asks === 'maintenance' && (
        <MaintenanceDialog
          title={words.maintenanceTitle(rows.length)}
          ends={rows.some((device) => maintenanceOf(device, Date.now()) !== undefined)}
          onClose={close}
          onUntil={(until) =>
            void apply({ maintenance_until: until }, until === null ? words.maintenanceOver : words.resting)
          }
        />
      )}
      {report && (
        <BulkSummary
          title={words.summary}
          outcome={report.outcome}
          undo={
            report.undo &&
            (() => {
              closeReport()
              report.undo?.()
            })
          }
          onClose={closeReport}
        />
      )}
    </>
  )
}

function uidsOf(devices: readonly Changeable[]): Set<string> {
  return new Set(devices.map(({ uid }) => uid))
}

/** The values that the change replaced. */
function formerValues(device: Changeable, change: CommonChange): DeviceChange {
  if (change.add_tags ?? change.remove_tags) return { tags: device.tags ?? [] }
  const fields = Object.keys(change) as ('enabled' | 'max_sms_dayly' | 'tags' | 'maintenance_until')[]
  return Object.fromEntries(
    fields.map((field) => {
      const isOver = field === 'maintenance_until' && maintenanceOf(device, Date.now()) === undefined
      return [field, isOver ? null : device[field]]
    }),
  )
}

/** Makes the same change to these devices; returns the refused ones. */
async function changeThese(uids: readonly string[], change: CommonChange): Promise<Refused[]> {
  const { refused } = await callApi(changeDevices, { body: { uids: [...uids], change } }, (body) =>
    ChangedDevices.parse(body),
  )
  return refused.map((one) => ({
    name: one.uid,
    said: faultText(new CallFault(one.detail, { status: 409, body: one }), words.failed),
  }))
}
