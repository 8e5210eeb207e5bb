import type { OpenSession } from '@sdd/contract/accounts/sessions.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { endOneSession, endOthers, sessionsQuery } from './account.ts'
import { programOf } from './program.ts'
import type { AccountSearch } from './search.ts'
import { faultText } from '#console/core/api.ts'
import { useForm } from '#console/core/form.ts'
import { text } from '#console/core/text.ts'
import { account as words } from './text.ts'
import { Ago } from '#console/ui/ago.tsx'
import { Box } from '#console/ui/box.tsx'
import { Button } from '#console/ui/button.tsx'
import { Confirm } from '#console/ui/confirm.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { dayTime } from '#console/ui/time.ts'
import { toast } from '#console/ui/toast.tsx'

/** The user's sessions. The user can end each one except the current one, which Logout ends. */
export function Sessions({
  asksOthers,
  onOpen,
}: {
  /** Whether to ask for confirmation before all other sessions end. */
  asksOthers: boolean
  onOpen: (dialog: AccountSearch['open']) => void
}) {
  const { data: sessions, isError, refetch } = useQuery(sessionsQuery)
  const queryClient = useQueryClient()
  const [fault, setFault] = useState<{ why: unknown }>()
  const others = sessions?.filter(({ current }) => !current) ?? []

  function gone(are: (session: OpenSession) => boolean, said: string): void {
    queryClient.setQueryData(sessionsQuery.queryKey, (all) => all?.filter((session) => !are(session)))
    void queryClient.invalidateQueries(sessionsQuery)
    toast({ text: said })
  }

  async function end(id: number): Promise<void> {
    setFault(undefined)
    try {
      await endOneSession(id)
      gone((session) => session.id === id, words.ended)
    } catch (why) {
      setFault({ why })
    }
  }

  const endAll = useForm({
    save: endOthers,
    failed: words.endFailed,
    onSaved() {
      gone(({ current }) => !current, words.othersEnded)
      onOpen(undefined)
    },
  })

  return (
    <Box title={words.sessions}>
      <p className="max-w-prose text-muted">{words.sessionsMean}</p>
      {isError && (
        <Notice tone="bad" retry={{ label: text.retry, run: () => void refetch() }} className="mt-3">
          {words.sessionsFailed}
        </Notice>
      )}
      {fault && (
        <Notice tone="bad" className="mt-3">
          {faultText(fault.why, words.endFailed)}
        </Notice>
      )}
      {!sessions && !isError && <div className="h-20" aria-busy="true" />}
      {sessions && (
        <ul aria-label={words.sessions} className="mt-2.5 divide-y divide-line border-y border-line">
          {sessions.map((session) => (
            <SessionLine key={session.id} session={session} onEnd={() => end(session.id)} />
          ))}
        </ul>
      )}
      {others.length > 0 && (
        <div className="mt-3.5 flex">
          <Button needsServer onClick={() => onOpen('others')}>
            {words.endOthers}
          </Button>
        </div>
      )}
      {asksOthers && others.length > 0 && (
        <Confirm
          title={words.endOthers}
          action={words.endOthers}
          form={endAll}
          onConfirm={() => endAll.send()}
          onClose={() => onOpen(undefined)}
        >
          <p>{words.endOthersAsk(others.length)}</p>
        </Confirm>
      )}
    </Box>
  )
}

function SessionLine({ session, onEnd }: { session: OpenSession; onEnd: () => Promise<void> }) {
  const ending = useMutation({ mutationFn: onEnd })
  const { created_at, last_used_at, address, user_agent, current } = session
  const program = programOf(user_agent) ?? words.unknownProgram
  return (
    <li className="flex items-center gap-3 py-2.5">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline gap-x-2.5">
          <span className="font-semibold" title={user_agent || undefined}>
            {program}
          </span>
          <span className="font-mono text-sm break-all">{address || text.none}</span>
        </p>
        <p className="text-sm text-muted">
          {words.opened} <time dateTime={created_at}>{dayTime(created_at)}</time> ·{' '}
          <span className="whitespace-nowrap">
            {words.used} <Ago at={last_used_at} />
          </span>
        </p>
      </div>
      {current ? (
        <span className="rounded-sm bg-ok-bg px-2 py-1 text-sm font-medium text-ok">{words.current}</span>
      ) : (
        <Button
          needsServer
          disabled={ending.isPending}
          aria-label={words.endNamed(program, address)}
          onClick={() => ending.mutate()}
        >
          {words.end}
        </Button>
      )}
    </li>
  )
}
