import { CallFault } from '@sdd/contract/core/client.ts'
import { searchForRef, refOf } from '#console/messages/messages/message-ref.ts'
import type { Callback } from '@sdd/contract/outward/callbacks.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { callbackQuery, callbackStateMarks, useRepeat } from './calls.ts'
import { faultText } from '#console/core/api.ts'
import { text } from '#console/core/text.ts'
import { callbackDialogs as words } from './dialog-text.ts'
import { callbacks } from './text.ts'
import { Button, buttonLook } from '#console/ui/button.tsx'
import { CloseButton } from '#console/ui/close-button.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { Pill } from '#console/ui/marks.tsx'
import { RecordList } from '#console/ui/record-list.tsx'
import { dayTime } from '#console/ui/time.ts'

const names = Object.keys(words.fields) as (keyof typeof words.fields)[]

/** One callback to one address, with its delivery so far. */
export default function CallbackDialog({
  id,
  row,
  onClose,
}: {
  id: number
  /** Undefined if the list does not have it, as after a repeat if the list shows those given up. */
  row: Callback | undefined
  onClose: () => void
}) {
  const repeat = useRepeat()
  const { data: whole, error, refetch } = useQuery(callbackQuery(id))
  const isUnknown = error instanceof CallFault && error.code === 'unknown_callback'
  const callback = row ?? whole
  if (!callback) {
    return (
      <Modal title={words.details} onClose={onClose}>
        {error ? (
          <Notice
            tone="bad"
            retry={
              isUnknown
                ? { label: text.close, run: onClose }
                : { label: text.retry, run: () => void refetch() }
            }
          >
            {isUnknown ? words.unknown : faultText(error, callbacks.loadFailed)}
          </Notice>
        ) : (
          <div className="h-20" aria-busy="true" />
        )}
      </Modal>
    )
  }
  const { tone, mark } = callbackStateMarks[callback.state]
  return (
    <Modal title={words.details} onClose={onClose} wide>
      <CloseButton label={text.close} onClose={onClose} />
      <div className="flex flex-col gap-4">
        <span>
          <Pill tone={tone} mark={mark}>
            {callbacks.states[callback.state]}
          </Pill>
        </span>
        {callback.state === 'dead' && <p className="text-muted">{words.deadMeans}</p>}
        {whole?.behind && (
          <Notice tone="warn">
            {words.behind(
              callbacks.typeOf(whole.behind.type),
              whole.behind.next_try_at && dayTime(whole.behind.next_try_at),
            )}
          </Notice>
        )}
        <RecordList record={readableFields(callback)} />
        {whole && (
          <section>
            <h3 className="mb-1 font-semibold">{words.body}</h3>
            <pre
              // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- allows scrolling by keyboard
              tabIndex={0}
              className="mono max-h-60 overflow-auto rounded-sm bg-sunken p-2.5 text-sm"
            >
              <code>{readableJson(whole.body)}</code>
            </pre>
          </section>
        )}
        <div className="flex flex-wrap justify-end gap-2 pt-1">
          <Link
            to="/running-tasks"
            search={searchForRef(refOf(callback))}
            className={buttonLook({ size: 'lg' })}
          >
            {words.toTask}
          </Link>
          <Button
            needsServer
            size="lg"
            tone="primary"
            disabled={repeat.isPending}
            aria-busy={repeat.isPending}
            onClick={() => repeat.mutate(callback)}
          >
            {callbacks.repeat}
          </Button>
        </div>
      </div>
    </Modal>
  )
}

/** The callback's fields under readable names, with times as the screens show them. */
function readableFields(callback: Callback): Record<string, unknown> {
  return Object.fromEntries(
    names.map((name) => {
      const value = name === 'last_error' ? callbacks.lastError(callback) : callback[name]
      return [words.fields[name], name.endsWith('_at') && value ? dayTime(String(value)) : value]
    }),
  )
}

function readableJson(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}
