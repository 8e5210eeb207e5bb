import { holds } from '@sdd/contract/core/roles.ts'
import type { ConversationMessage } from '@sdd/contract/people/conversations.ts'
import { Suspense, useState } from 'react'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { useServerGone } from '#console/core/server-gone.ts'
import { useRole } from '#console/core/use-role.ts'
import type { ConversationRef } from './conversations.ts'
import { conversations as words } from './text.ts'

const ReceivesDialog = lazyPart(() => import('./receives-dialog.tsx'))

/** Whether the person gets messages. Those who manage opt-outs can change it. */
export function Receives({
  of,
  messages,
  optedOut,
}: {
  of: ConversationRef
  messages: readonly ConversationMessage[]
  optedOut: boolean
}) {
  const manages = holds(useRole(), 'opt-outs:manage')
  const gone = useServerGone()
  const [asks, setAsks] = useState(false)
  if (!manages) return <p>{optedOut ? words.person.receivesNot : words.person.receives}</p>
  return (
    <>
      <label className="flex min-h-6 items-center gap-2 font-semibold max-md:min-h-11">
        {words.person.receives}
        <input
          type="checkbox"
          className="ml-auto size-4"
          checked={!optedOut}
          disabled={gone}
          onChange={() => setAsks(true)}
        />
      </label>
      <p className="text-sm text-muted">
        {optedOut ? words.person.receivesMeansOff : words.person.receivesMeans}
      </p>
      <Suspense>
        {asks && (
          <ReceivesDialog
            of={of}
            // The server fails what no device has; the newest messages are loaded.
            waiting={messages.filter(({ state }) => state === 'queued').length}
            optedOut={optedOut}
            onClose={() => setAsks(false)}
          />
        )}
      </Suspense>
    </>
  )
}
