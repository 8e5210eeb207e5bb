import { useQueryClient } from '@tanstack/react-query'
import { createContext, useRef, useState } from 'react'
import { deviceSettings as words } from './text.ts'
import { deviceSettingsQuery, saveLimit, type DeviceSettings } from './limits.ts'
import { saveFault, wholeNumber } from '#console/accounts/settings/calls.ts'
import { toast } from '#console/ui/toast.tsx'

export const LARGEST_LIMIT = 100_000

export type LimitEdit = ReturnType<typeof useLimitEdit>

/** What the cells of a row need to edit its limit; there from the tab on down. */
export const LimitEditContext = createContext<LimitEdit | undefined>(undefined)

/**
 * Edits one device's limit at a time, that of `uid`, which lives in the address. A row stays open until the server has
 * taken it, with what was typed.
 */
export function useLimitEdit(
  writes: boolean,
  uid: string | undefined,
  onUid: (uid: string | undefined) => void,
) {
  const queryClient = useQueryClient()
  const [draft, setDraft] = useState<{ uid: string; typed: string }>()
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState<{ uid: string; said: string }>()
  const left = useRef<string>(undefined)

  function typedOf(device: DeviceSettings): string {
    return draft?.uid === device.uid ? draft.typed : String(device.max_sms_dayly)
  }

  function end(): void {
    left.current = uid
    setDraft(undefined)
    setFault(undefined)
    onUid(undefined)
  }

  async function save(device: DeviceSettings): Promise<void> {
    if (busy) return
    const limit = wholeNumber(typedOf(device), 0, LARGEST_LIMIT)
    if (limit === undefined) return setFault({ uid: device.uid, said: words.limitRange })
    setBusy(true)
    setFault(undefined)
    try {
      const saved = await saveLimit(device.uid, limit)
      await queryClient.cancelQueries(deviceSettingsQuery)
      queryClient.setQueryData(deviceSettingsQuery.queryKey, (devices) =>
        devices?.map((one) => (one.uid === device.uid ? { ...one, max_sms_dayly: saved } : one)),
      )
      end()
      toast({ text: words.limitSaved(device.uid, String(saved)) })
    } catch (why) {
      setFault({ uid: device.uid, said: saveFault(why) })
    }
    setBusy(false)
  }

  return {
    uid: writes ? uid : undefined,
    writes,
    busy,
    fault,
    typedOf,
    type: (of: string, typed: string) => setDraft({ uid: of, typed }),
    begin(of: string) {
      setDraft(undefined)
      setFault(undefined)
      onUid(of)
    },
    cancel: end,
    save,
    /** Whether the focus comes back to this row, which was just being edited; true once. */
    takesFocus(of: string): boolean {
      if (left.current !== of) return false
      left.current = undefined
      return true
    },
  }
}
