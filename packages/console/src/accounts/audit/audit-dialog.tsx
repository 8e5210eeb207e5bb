import type { AuditEntry } from '@sdd/contract/accounts/audit.ts'
import { changesOf, entryText } from './entries.ts'
import { ChangeList } from './change-list.tsx'
import { text } from '#console/core/text.ts'
import { audit as words } from './text.ts'
import { CloseButton } from '#console/ui/close-button.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { dayTime } from '#console/ui/time.ts'

export default function AuditDialog({
  entry,
  onClose,
}: {
  /** Undefined if the list has no such entry. */
  entry: AuditEntry | undefined
  onClose: () => void
}) {
  const changes = entry && changesOf(entry)
  return (
    <Modal title={words.details} onClose={onClose} wide>
      <CloseButton label={text.close} onClose={onClose} />
      {entry && changes ? (
        <>
          <p>
            <b>{entry.by ?? words.stranger}</b> · <time dateTime={entry.at}>{dayTime(entry.at)}</time>
            {entry.address && (
              <>
                {` · ${words.address} `}
                <span className="mono">{entry.address}</span>
              </>
            )}
          </p>
          <p className="mb-4 [overflow-wrap:anywhere]">
            {entryText(entry)} <b>{words.nameOf(entry)}</b>
          </p>
          {changes.length === 0 ? (
            <p className="text-muted">{words.noChanges}</p>
          ) : (
            <div className="flex flex-col gap-1.5">
              <ChangeList boxed changes={changes} />
            </div>
          )}
        </>
      ) : (
        <Notice tone="bad" retry={{ label: text.close, run: onClose }}>
          {words.unknown}
        </Notice>
      )}
    </Modal>
  )
}
