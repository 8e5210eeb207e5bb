import type { AlertChannel } from '@sdd/contract/outward/alert-channels.ts'
import type { AlertRule } from '@sdd/contract/outward/alerts.ts'
import { useState } from 'react'
import { removeChannel, removeRule, useReloadAlerts } from './calls.ts'
import { ChannelForm } from './channel-form.tsx'
import { alertDialogs as words } from './dialog-text.ts'
import { DutyForm } from './duty-form.tsx'
import { RuleForm } from './rule-form.tsx'
import { alertRules } from './text.ts'
import { useForm } from '#console/core/form.ts'
import { text } from '#console/core/text.ts'
import { Confirm } from '#console/ui/confirm.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { toast } from '#console/ui/toast.tsx'

/** The form of a rule or a channel, or the question before one is deleted. */
export default function AlertDialogs({
  open,
  rules,
  channels,
  onClose,
}: {
  open: string
  rules: readonly AlertRule[]
  channels: readonly AlertChannel[]
  onClose: () => void
}) {
  const [, what, id] = /^(rule|hours|remove|channel|drop)-(\d+)$/.exec(open) ?? []
  const same = ({ id: one }: { id: number }) => String(one) === id
  // Copies from when the dialog opened: a change by another user must not replace the typed texts.
  const ofRule = what === 'rule' || what === 'hours' || what === 'remove'
  const [rule] = useState(() => (ofRule ? rules.find(same) : undefined))
  const [channel] = useState(() => (what === 'channel' || what === 'drop' ? channels.find(same) : undefined))
  if (open === 'new' || (rule && what === 'rule'))
    return <RuleForm rule={rule} channels={channels} onClose={onClose} />
  if (rule && what === 'hours') return <DutyForm rule={rule} onClose={onClose} />
  if (open === 'new-channel' || (channel && what === 'channel'))
    return <ChannelForm channel={channel} onClose={onClose} />
  if (rule)
    return (
      <Removal
        title={words.removeRule}
        name={alertRules.sentences[rule.condition].name}
        means={words.removeRuleMeans}
        removed={words.ruleRemoved}
        remove={() => removeRule(rule.id)}
        onClose={onClose}
      />
    )
  if (channel)
    return (
      <Removal
        title={words.removeChannel}
        name={channel.name}
        means={words.removeChannelMeans}
        removed={words.channelRemoved}
        remove={() => removeChannel(channel.id)}
        onClose={onClose}
      />
    )
  return (
    <Modal title={alertRules.rules} onClose={onClose}>
      <Notice tone="bad" retry={{ label: text.close, run: onClose }}>
        {words.gone}
      </Notice>
    </Modal>
  )
}

function Removal({
  title,
  name,
  means,
  removed,
  remove,
  onClose,
}: {
  title: string
  name: string
  means: string
  removed: string
  remove: () => Promise<void>
  onClose: () => void
}) {
  const reload = useReloadAlerts()
  const form = useForm({
    save: remove,
    failed: words.removeFailed,
    onSaved() {
      toast({ text: removed })
      onClose()
      void reload()
    },
  })
  return (
    <Confirm
      title={title}
      action={alertRules.remove}
      form={form}
      onConfirm={() => form.send()}
      onClose={onClose}
    >
      <p className="font-semibold [overflow-wrap:anywhere]">{name}</p>
      <p className="text-muted">{means}</p>
    </Confirm>
  )
}
