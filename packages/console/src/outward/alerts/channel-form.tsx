import type { AlertChannelChange } from '@sdd/contract/outward/alert-channels.ts'
import { ChannelKind, type AlertChannel } from '@sdd/contract/outward/alert-channels.ts'
import { useState } from 'react'
import { putChannel, useReloadAlerts } from './calls.ts'
import {
  channelDraftOf,
  channelFaults,
  channelSettingsOf,
  usualUrls,
  type ChannelDraft,
} from './channel-draft.ts'
import { alertDialogs as words } from './dialog-text.ts'
import { alertRules } from './text.ts'
import { CompanyField } from '#console/accounts/companies/companies.tsx'
import { useForm } from '#console/core/form.ts'
import { CopyRow } from '#console/ui/copy-row.tsx'
import { Field, Select, TextInput } from '#console/ui/field.tsx'
import { FormModal } from '#console/ui/form-modal.tsx'
import { ShownOnce } from '#console/ui/shown-once.tsx'
import { toast } from '#console/ui/toast.tsx'

/** Where alerts are told. A new webhook then shows its secret, once. */
export function ChannelForm({
  channel,
  onClose,
}: {
  /** Undefined for a new one. */
  channel: AlertChannel | undefined
  onClose: () => void
}) {
  const reload = useReloadAlerts()
  const [draft, setDraft] = useState(() => channelDraftOf(channel))
  const [company, setCompany] = useState<number>()
  const [secret, setSecret] = useState<string>()
  const form = useForm({
    save: (sent: AlertChannelChange) => putChannel(sent, company),
    failed: words.channelFailed,
    onSaved({ webhook_secret }) {
      void reload()
      if (webhook_secret !== undefined) return setSecret(webhook_secret)
      toast({ text: words.channelSaved })
      onClose()
    },
  })
  const change = (next: Partial<ChannelDraft>) => setDraft({ ...draft, ...next })
  const { kind } = draft

  if (secret !== undefined)
    return (
      <ShownOnce title={words.channelSaved} onClose={onClose}>
        {(copied) => (
          <CopyRow
            label={words.secret}
            value={secret}
            copyLabel={words.copySecret}
            hint={words.secretHint}
            onCopied={copied}
          />
        )}
      </ShownOnce>
    )

  function submit(): void {
    if (form.refuses(channelFaults(draft, channel))) return
    form.send({
      ...(channel ? { id: channel.id } : { kind }),
      name: draft.name,
      settings: channelSettingsOf(draft, channel),
    })
  }

  const input = (
    name: keyof Omit<ChannelDraft, 'kind' | 'tokenless'>,
    label: string,
    hint: string | undefined,
    field: string,
  ) => (
    <Field label={label} hint={hint} error={form.fields[field]}>
      {(ids) => (
        <TextInput
          {...ids}
          tall
          autoComplete="off"
          spellCheck={false}
          maxLength={2000}
          value={draft[name]}
          onChange={({ target }) => change({ [name]: target.value })}
        />
      )}
    </Field>
  )

  return (
    <FormModal
      title={channel?.name ?? alertRules.addChannel}
      form={form}
      action={words.save}
      onSubmit={submit}
      onClose={onClose}
    >
      {!channel && <CompanyField value={company} onChange={setCompany} />}
      {!channel && (
        <Field label={words.kind} error={form.fields.kind}>
          {(ids) => (
            <Select
              {...ids}
              tall
              value={kind}
              onChange={({ target }) => change({ kind: ChannelKind.parse(target.value) })}
            >
              {ChannelKind.options.map((one) => (
                <option key={one} value={one}>
                  {alertRules.kinds[one]}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      {input('name', words.name, undefined, 'name')}
      {kind === 'email' && input('to', words.emails, words.emailsHint, 'settings.to')}
      {kind === 'sms' && input('to', words.number, alertRules.otherDevice, 'settings.to')}
      {kind === 'telegram' && input('chat_id', words.chat, words.chatHint, 'settings.chat_id')}
      {kind === 'ntfy' && input('topic', words.topic, undefined, 'settings.topic')}
      {(kind === 'telegram' || kind === 'ntfy') && (
        <>
          {input(
            'token',
            words.token,
            channel?.settings.token_set ? words.tokenSet : kind === 'ntfy' ? words.tokenOptional : undefined,
            'settings.token',
          )}
          {kind === 'ntfy' && channel?.settings.token_set && (
            <label className="flex min-h-9 items-center gap-2.5 max-md:min-h-11">
              <input
                type="checkbox"
                className="size-[18px] shrink-0"
                checked={draft.tokenless}
                onChange={({ target }) => change({ tokenless: target.checked })}
              />
              {words.removeToken}
            </label>
          )}
        </>
      )}
      {kind === 'webhook' && input('url', words.url, undefined, 'settings.url')}
      {(kind === 'telegram' || kind === 'ntfy') &&
        input('url', words.url, words.urlUsual(usualUrls[kind]), 'settings.url')}
    </FormModal>
  )
}
