import type { NewSms } from '@sdd/contract/messages/messages.ts'
import { Link, useLocation } from '@tanstack/react-router'
import { text } from '#console/core/text.ts'
import { send as words } from './text.ts'
import { searchForRef } from './message-ref.ts'
import { outcomeText, type SendOutcome } from './messages.ts'
import { Button, buttonLook } from '#console/ui/button.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { MarkIcon } from '#console/ui/marks.tsx'

/** The server's answer, with the way to the message. */
export function SendResult({
  outcome,
  sms,
  onClose,
}: {
  outcome: SendOutcome
  sms: NewSms | undefined
  onClose: () => void
}) {
  const { sent } = outcome
  const guid = 'guid' in outcome ? outcome.guid : undefined
  // Elsewhere the address is that of the form's dialog, to which Back would otherwise lead.
  const inDialog = useLocation({ select: ({ pathname }) => pathname !== '/sms' })
  return (
    <Modal title={sent ? words.success : words.failure} onClose={onClose}>
      <p
        className={`flex items-center gap-2.5 rounded-sm px-3 py-2.5 font-medium ${sent ? 'bg-ok-bg text-ok' : 'bg-bad-bg text-bad'}`}
      >
        <MarkIcon mark={sent ? 'check' : 'cross'} />
        <span className="min-w-0 break-words">{outcomeText(outcome)}</span>
      </p>
      {sms && (
        <p className="mt-3 text-muted">
          {words.toNumber} <b className="mono font-semibold text-ink">{sms.telefono_to}</b> {words.by}{' '}
          <b className="mono font-semibold break-all text-ink">{sms.device_uid}</b>
        </p>
      )}
      <div className="mt-5 flex flex-row-reverse flex-wrap gap-2">
        {/* First, so that the dialog opens with the focus on it. */}
        <Button tone="primary" size="lg" onClick={onClose}>
          {text.close}
        </Button>
        {sent && guid !== undefined && (
          <Link
            to="/logs"
            replace={inDialog}
            search={searchForRef({ guid, company: undefined })}
            className={buttonLook({ size: 'lg' })}
          >
            {words.seeMessage}
          </Link>
        )}
      </div>
    </Modal>
  )
}
