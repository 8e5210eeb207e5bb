import { useQuery, useQueryClient } from '@tanstack/react-query'
import { saveFaultText, saveGlobal } from '#console/accounts/settings/calls.ts'
import { globalSettingsQuery, type GlobalSettings } from '#console/accounts/settings/settings.ts'
import { useForm } from '#console/core/form.ts'
import { sending as words } from './sending-text.ts'
import { Confirm } from '#console/ui/confirm.tsx'
import { toast } from '#console/ui/toast.tsx'

/** Asks, then stops the sending of the user's own company, or resumes it. */
export default function SwitchSending({ on, onClose }: { on: boolean; onClose: () => void }) {
  const queryClient = useQueryClient()
  const { data: records } = useQuery(globalSettingsQuery)
  const own = records?.[0]
  const form = useForm({
    save: ({ id, spoof_time_secs }: GlobalSettings) =>
      saveGlobal({ id, spoof_time_secs, send_enabled: on }, undefined),
    failed: (fault) => ({ said: saveFaultText(fault), fields: {} }),
    onSaved() {
      toast({ text: on ? words.resumed : words.stopped })
      void queryClient.invalidateQueries(globalSettingsQuery)
      onClose()
    },
  })
  return (
    <Confirm
      title={on ? words.resumeQuestion : words.stopQuestion}
      action={on ? words.resume : words.stop}
      form={form}
      onConfirm={() => own && form.send(own)}
      onClose={onClose}
    >
      <p>{on ? words.resumeAbout : words.stopAbout}</p>
    </Confirm>
  )
}
