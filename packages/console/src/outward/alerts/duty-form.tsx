import type { AlertRule, AlertRuleChange } from '@sdd/contract/outward/alerts.ts'
import { useState } from 'react'
import { putRule, useReloadAlerts } from './calls.ts'
import { alertDialogs as words } from './dialog-text.ts'
import { DutyFields } from './duty-fields.tsx'
import { dutyDraftOf, dutyFaults, hoursOfDraft } from './duty-hours.ts'
import { alertRules } from './text.ts'
import { useForm } from '#console/core/form.ts'
import { FormModal } from '#console/ui/form-modal.tsx'
import { toast } from '#console/ui/toast.tsx'

/** The user's own hours of a rule, without its other fields. */
export function DutyForm({ rule, onClose }: { rule: AlertRule; onClose: () => void }) {
  const reload = useReloadAlerts()
  const [duty, setDuty] = useState(() => dutyDraftOf(rule.hours, true))
  const form = useForm({
    save: (sent: AlertRuleChange) => putRule(sent),
    failed: words.ruleFailed,
    onSaved() {
      toast({ text: words.ruleSaved })
      onClose()
      void reload()
    },
  })

  function submit(): void {
    if (!form.refuses(dutyFaults(duty))) form.send({ id: rule.id, hours: hoursOfDraft(duty) })
  }

  return (
    <FormModal
      title={alertRules.sentences[rule.condition].name}
      form={form}
      action={words.save}
      wide
      onSubmit={submit}
      onClose={onClose}
    >
      <DutyFields duty={duty} faults={form.fields} onChange={setDuty} />
    </FormModal>
  )
}
