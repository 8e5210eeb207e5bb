import type { ConversationMessage } from '@sdd/contract/people/conversations.ts'
import type { ReactNode } from 'react'
import type { Device } from '#console/fleet/devices/devices.ts'
import { waiting } from '#console/messages/waiting/text.ts'
import { conversationLook as look } from '#console/ui/conversation-look.ts'
import { conversations as words } from './text.ts'
import { MarkIcon } from '#console/ui/marks.tsx'
import { TimedText } from '#console/ui/timed-text.tsx'

/** Why a message waits, since when, and until when at the latest. */
export function WaitBox({
  message,
  devices,
  children,
}: {
  message: ConversationMessage
  devices: readonly Device[] | undefined
  children?: ReactNode
}) {
  const { device_uid, waiting_code, waiting_params } = message
  const away = devices?.some(({ uid, status }) => uid === device_uid && status === 'disconnected')
  const { device, since, expires_at } = (waiting_params ?? {}) as Partial<Record<string, string>>
  return (
    <div className={look.wait}>
      <span className={`pt-1 ${away ? 'text-bad' : 'text-info'}`}>
        <MarkIcon mark={away ? 'square' : 'arc'} />
      </span>
      <div className="min-w-0">
        <p>
          {waiting_code === 'device_offline' && device && since && expires_at ? (
            <>
              <b className="font-semibold">{words.waitsFor(device)}</b>
              <TimedText>{words.offline(since, expires_at)}</TimedText>
            </>
          ) : (
            <TimedText>{waiting.sentence(message) ?? ''}</TimedText>
          )}
        </p>
        {children}
      </div>
    </div>
  )
}
