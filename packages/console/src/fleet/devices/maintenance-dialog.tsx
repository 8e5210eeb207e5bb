import { useState } from 'react'
import { useForm } from '#console/core/form.ts'
import { deviceBulk as words } from './bulk-text.ts'
import { Button } from '#console/ui/button.tsx'
import { Field, TextInput } from '#console/ui/field.tsx'
import { FormModal } from '#console/ui/form-modal.tsx'
import { fieldTime } from '#console/ui/time.ts'

const HOUR_MS = 3_600_000

/** Asks until when devices are in maintenance. `ends`: there is one that can be ended. */
export function MaintenanceDialog({
  title,
  ends = false,
  onUntil,
  onClose,
}: {
  title: string
  ends?: boolean
  /** Null ends it. If it rejects, the dialog stays open with the reason. */
  onUntil: (until: string | null) => unknown
  onClose: () => void
}) {
  const [until, setUntil] = useState(() => fieldTime(Date.now() + 2 * HOUR_MS))
  const form = useForm({
    save: async (wanted: string | null) => onUntil(wanted),
    failed: words.failed,
  })

  function submit(): void {
    const at = new Date(until)
    const isAhead = at.getTime() > Date.now()
    if (!form.refuses({ maintenance_until: isAhead ? undefined : words.notAhead }))
      form.send(at.toISOString())
  }

  return (
    <FormModal
      title={title}
      form={form}
      action={words.begin}
      intro={<p className="text-muted">{words.maintenanceMeans}</p>}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={words.until} error={form.fields.maintenance_until}>
        {(ids) => (
          <TextInput
            {...ids}
            tall
            type="datetime-local"
            value={until}
            onChange={(event) => setUntil(event.target.value)}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-2">
        {([1, 4, 24, 168] as const).map((hours) => (
          <Button key={hours} onClick={() => setUntil(fieldTime(Date.now() + hours * HOUR_MS))}>
            {words.spans[hours]}
          </Button>
        ))}
      </div>
      {ends && (
        <Button needsServer className="self-start" disabled={form.pending} onClick={() => form.send(null)}>
          {words.end}
        </Button>
      )}
    </FormModal>
  )
}
