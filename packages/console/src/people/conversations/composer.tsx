import { MAX_SEGMENTS } from '@sdd/contract/messages/messages.ts'
import type { ConversationMessage } from '@sdd/contract/people/conversations.ts'
import { measureText } from '@sdd/sms/segments.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ListTree, Send } from 'lucide-react'
import { Suspense, useRef, useState, type KeyboardEvent } from 'react'
import { faultText } from '#console/core/api.ts'
import { newGuid } from '#console/core/guid.ts'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { useServerGone } from '#console/core/server-gone.ts'
import type { Device } from '#console/fleet/devices/devices.ts'
import { answer, type ConversationRef } from './conversations.ts'
import { DeviceLine } from './device-line.tsx'
import { useAnswerDraft, type AnswerDraft } from './draft.ts'
import { conversationLook as look } from '#console/ui/conversation-look.ts'
import { conversations as words } from './text.ts'
import { usualDevice } from './usual-device.ts'
import { TextCounter } from '#console/messages/messages/text-counter.tsx'
import { Button } from '#console/ui/button.tsx'
import { kbdLook } from '#console/ui/field.tsx'
import { GoneReason } from '#console/ui/gone-reason.tsx'
import { commandKey, useKeys } from '#console/ui/keys.ts'
import { Notice } from '#console/ui/notice.tsx'
import { toast } from '#console/ui/toast.tsx'
import { useLeft } from '#console/ui/use-left.ts'

const TemplateChooser = lazyPart(() => import('./template-chooser.tsx'))

type Props = {
  of: ConversationRef
  messages: readonly ConversationMessage[]
  devices: readonly Device[] | undefined
  /** The field gets the focus when it is first shown. */
  focused: boolean
}

/** Where an answer is typed: the device it leaves by, the text, its length, and the button that sends it. */
export function Composer({ of, messages, devices, focused }: Props) {
  const client = useQueryClient()
  const field = useRef<HTMLTextAreaElement>(null)
  const [choosing, setChoosing] = useState(false)
  const { draft, change } = useAnswerDraft(of)
  const left = useLeft()
  const gone = useServerGone()
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: ({ text, device, guid }: AnswerDraft) =>
      answer(of, { text, guid, ...(device === '' ? {} : { device_uid: device }) }),
    onSuccess: (_, sent) => {
      // A text typed meanwhile stays.
      change(({ text }) => (text === sent.text ? { text: '' } : {}))
      void client.invalidateQueries({ queryKey: ['conversations'] })
    },
    // The person has left the conversation, which would say it.
    onError: (fault) =>
      left.current && toast({ text: `${words.answerFailed(of.number)} ${faultText(fault, '')}` }),
  })

  /** Another text or device is another message. */
  function edit(next: Partial<AnswerDraft>): void {
    change({ ...next, guid: newGuid() })
    if (error) reset()
  }

  const measure = measureText(draft.text)
  const tooLong = measure.segments > MAX_SEGMENTS
  const ready = draft.text.trim() !== '' && !tooLong && !isPending && !gone

  function submit(): void {
    // A draft that an earlier version kept has no guid.
    if (ready) mutate({ ...draft, guid: draft.guid || newGuid() })
  }

  function press(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || event.ctrlKey === event.metaKey) return
    event.preventDefault()
    submit()
  }

  useKeys({ r: () => field.current?.focus(), t: () => setChoosing(true) })

  return (
    <form
      className="border-t border-line bg-sunken px-4 pt-2.5 pb-3 max-md:px-3"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <DeviceLine
        usual={usualDevice(messages)}
        chosen={draft.device}
        devices={devices}
        onChoose={(device) => edit({ device })}
      />
      {error && (
        <Notice tone="bad" className="mb-2">
          {faultText(error, words.sendFailed)}
        </Notice>
      )}
      <GoneReason />
      <div className={look.field}>
        <textarea
          ref={field}
          rows={2}
          dir="auto"
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the person asked to write
          autoFocus={focused}
          aria-label={words.message}
          value={draft.text}
          onChange={({ target }) => edit({ text: target.value })}
          onKeyDown={press}
        />
        <div className="flex items-center gap-3 p-1.5 max-md:gap-1">
          <Button
            tone="ghost"
            size="sm"
            aria-label={words.templates}
            title={words.templates}
            onClick={() => setChoosing(true)}
          >
            <ListTree className="size-4" aria-hidden="true" />
            <span className="max-md:hidden">{words.templates}</span>
          </Button>
          <TextCounter text={draft.text} />
          <kbd aria-hidden="true" className={`ml-auto ${kbdLook} whitespace-nowrap max-md:hidden`}>
            {commandKey('↵')}
          </kbd>
          {/* Not `disabled`: a disabled button would lose the focus. */}
          <Button
            type="submit"
            tone="primary"
            size="sm"
            aria-disabled={!ready}
            aria-busy={isPending}
            className="max-md:ml-auto"
          >
            <Send className="size-4" aria-hidden="true" />
            {words.send}
          </Button>
        </div>
      </div>
      <Suspense>
        {choosing && (
          <TemplateChooser
            of={of}
            onChoose={(text) => edit({ text: [draft.text, text].filter(Boolean).join(' ') })}
            onClose={() => {
              setChoosing(false)
              field.current?.focus()
            }}
          />
        )}
      </Suspense>
      <output className="sr-only">{isPending ? words.sending : ''}</output>
    </form>
  )
}
