import { useMutation, useQueryClient } from '@tanstack/react-query'
import { createContext, useRef, useState } from 'react'
import { deviceSettings as words } from './text.ts'
import { deviceSettingsQuery, saveLimit, type DeviceSettings } from './limits.ts'
import { useServerGone } from '#console/core/server-gone.ts'
import { saveFaultText } from '#console/accounts/settings/calls.ts'
import { toast } from '#console/ui/toast.tsx'
import { wholeNumber } from '#console/ui/typed-number.ts'

export const LARGEST_LIMIT = 100_000

type Draft = { uid: string; typed: string }
export type LimitEdit = ReturnType<typeof useLimitEdit>

/** The state that a row's cells need to edit its limit. Provided by the tab. */
export const LimitEditContext = createContext<LimitEdit | undefined>(undefined)

/**
 * Edits one device's limit at a time. Its `uid` is in the address. The row stays open with the typed value until the
 * server accepts it.
 */
export function useLimitEdit(
  writes: boolean,
  uid: string | undefined,
  onUid: (uid: string | undefined) => void,
) {
  const queryClient = useQueryClient()
  const gone = useServerGone()
  const [draft, setDraft] = useState<Draft>()
  /** `why` is the server's refusal; absent if the typed value is out of range. */
  const [refused, setRefused] = useState<{ uid: string; why?: unknown }>()
  const saving = useMutation({
    mutationFn: async ({ uid, limit }: { uid: string; limit: number; sent: Draft | undefined }) => {
      const saved = await saveLimit(uid, limit)
      await queryClient.cancelQueries(deviceSettingsQuery)
      queryClient.setQueryData(deviceSettingsQuery.queryKey, (devices) =>
        devices?.map((one) => (one.uid === uid ? { ...one, max_sms_dayly: saved } : one)),
      )
      return saved
    },
    onSuccess(saved, { uid: savedUid, sent }) {
      // Another row, or another value, may be edited meanwhile.
      if (uid === savedUid && draft === sent) end()
      toast({ text: words.limitSaved(savedUid, String(saved)) })
    },
    onError: (why, { uid }) => setRefused({ uid, why }),
  })
  const left = useRef<string>(undefined)

  function typedOf(device: Pick<DeviceSettings, 'uid' | 'max_sms_dayly'>): string {
    return draft?.uid === device.uid ? draft.typed : String(device.max_sms_dayly)
  }

  function end(): void {
    left.current = uid
    setDraft(undefined)
    setRefused(undefined)
    onUid(undefined)
  }

  function save({ uid, max_sms_dayly }: DeviceSettings): void {
    if (saving.isPending || gone) return
    const limit = wholeNumber(typedOf({ uid, max_sms_dayly }), 0, LARGEST_LIMIT)
    setRefused(limit === undefined ? { uid } : undefined)
    if (limit !== undefined) saving.mutate({ uid, limit, sent: draft })
  }

  return {
    uid: writes ? uid : undefined,
    writes,
    busy: saving.isPending,
    fault: refused && { uid: refused.uid, said: saidOf(refused) },
    typedOf,
    type: (deviceUid: string, typed: string) => setDraft({ uid: deviceUid, typed }),
    begin(deviceUid: string) {
      setDraft(undefined)
      setRefused(undefined)
      onUid(deviceUid)
    },
    cancel: end,
    save,
    /** Whether this row takes the focus back because its edit just ended. True only once. */
    takesFocus(deviceUid: string): boolean {
      if (left.current !== deviceUid) return false
      left.current = undefined
      return true
    },
  }
}

function saidOf(refused: { why?: unknown }): string {
  return 'why' in refused ? saveFaultText(refused.why) : words.limitRange
}
