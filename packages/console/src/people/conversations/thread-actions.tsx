import type { Conversation, ConversationChange } from '@sdd/contract/people/conversations.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Check, MailOpen, RotateCcw } from 'lucide-react'
import { useRef } from 'react'
import { usersQuery } from '#console/accounts/users/users.ts'
import { faultText } from '#console/core/api.ts'
import { useServerGone } from '#console/core/server-gone.ts'
import { change, type ConversationRef } from './conversations.ts'
import { conversations as words } from './text.ts'
import { Button } from '#console/ui/button.tsx'
import { Select } from '#console/ui/field.tsx'
import { useKeys } from '#console/ui/keys.ts'
import { toast } from '#console/ui/toast.tsx'

/** Who takes care of the conversation, whether it is done, and whether it is read; with the keys for each. */
export function ThreadActions({
  of,
  conversation,
  hasReceived,
  onUnread,
}: {
  of: ConversationRef
  conversation: Conversation
  /** Whether there may be a received SMS: without one, nothing can be unread. */
  hasReceived: boolean
  onUnread: () => void
}) {
  const client = useQueryClient()
  const gone = useServerGone()
  const owner = useRef<HTMLSelectElement>(null)
  const { data: users = [] } = useQuery(usersQuery)
  const { mutate } = useMutation({
    mutationKey: ['conversations', 'change'],
    mutationFn: (body: ConversationChange) => change(of, body),
    onError: (fault) => toast({ text: faultText(fault, words.changeFailed) }),
    onSettled: () => client.invalidateQueries({ queryKey: ['conversations'] }),
  })
  const { status, assigned_to, company_id } = conversation
  const others = users.filter(
    ({ id, enabled, companyId }) => enabled && companyId === company_id && id !== assigned_to?.id,
  )
  const turn = () => mutate({ status: status === 'open' ? 'done' : 'open' })
  const markUnread = () => {
    onUnread()
    mutate({ read_to: null })
  }
  useKeys({
    a: () => owner.current?.focus(),
    e: gone ? undefined : turn,
    u: gone || !hasReceived ? undefined : markUnread,
  })
  return (
    <div className="flex items-center gap-2 max-md:w-full max-md:px-2">
      <Select
        ref={owner}
        aria-label={words.owner}
        value={assigned_to?.id ?? ''}
        disabled={gone}
        className="w-48 max-md:min-w-0 max-md:flex-1"
        onChange={({ target: { value } }) => mutate({ assigned_to: value === '' ? null : Number(value) })}
      >
        <option value="">{words.noOwner}</option>
        {assigned_to && <option value={assigned_to.id}>{words.assigned(assigned_to.name)}</option>}
        {others.map(({ id, name }) => (
          <option key={id} value={id}>
            {words.assigned(name)}
          </option>
        ))}
      </Select>
      <Button
        square
        aria-label={words.markUnread}
        title={words.markUnread}
        disabled={gone || !hasReceived}
        onClick={markUnread}
      >
        <MailOpen className="size-4" aria-hidden="true" />
      </Button>
      <Button disabled={gone} onClick={turn}>
        {status === 'open' ? (
          <Check className="size-4" aria-hidden="true" />
        ) : (
          <RotateCcw className="size-4" aria-hidden="true" />
        )}
        {status === 'open' ? words.finish : words.reopen}
      </Button>
    </div>
  )
}
