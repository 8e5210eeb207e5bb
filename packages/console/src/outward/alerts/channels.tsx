import type { AlertChannel } from '@sdd/contract/outward/alert-channels.ts'
import { useMutation } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { testChannel, useReloadAlerts } from './calls.ts'
import { channelFaults as faults } from './channel-text.ts'
import { kindIcons } from './kind-icons.ts'
import { alertRules as words } from './text.ts'
import { useCompanies } from '#console/accounts/companies/companies.tsx'
import { faultText } from '#console/core/api.ts'
import { Button } from '#console/ui/button.tsx'
import { MarkIcon } from '#console/ui/marks.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { dayTime } from '#console/ui/time.ts'

export function Channels({
  channels,
  onOpen,
}: {
  channels: readonly AlertChannel[]
  onOpen: (next: string) => void
}) {
  return (
    <section aria-label={words.channels} className="panel min-w-0">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 max-md:px-3">
        <h2 className="text-lg font-bold">{words.channels}</h2>
        <Button needsServer className="ml-auto" onClick={() => onOpen('new-channel')}>
          <Plus className="size-4" aria-hidden="true" />
          {words.addChannel}
        </Button>
      </div>
      {channels.length === 0 && (
        <p className="border-t border-line px-4 py-3 text-muted">{words.noChannels}</p>
      )}
      {channels.length > 0 && (
        <ul>
          {channels.map((channel) => (
            <ChannelItem key={channel.id} channel={channel} onOpen={onOpen} />
          ))}
        </ul>
      )}
    </section>
  )
}

function ChannelItem({ channel, onOpen }: { channel: AlertChannel; onOpen: (next: string) => void }) {
  const { id, kind, name, company_id } = channel
  const companies = useCompanies()
  const company = companies.length > 1 && companies.find(({ id }) => id === company_id)
  const reload = useReloadAlerts()
  const { mutate, isPending, data, error, submittedAt } = useMutation({
    mutationFn: () => testChannel(id),
    onSettled: reload,
  })
  const Icon = kindIcons[kind]
  return (
    <li className="flex flex-col gap-2 border-t border-line px-4 py-2 max-md:px-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <Icon className="size-4 shrink-0" aria-hidden="true" />
        <span className="min-w-0 flex-1 basis-48">
          <b className="block font-semibold [overflow-wrap:anywhere]">{name}</b>
          <span className="block text-sm text-muted [overflow-wrap:anywhere]">
            {words.kinds[kind]} · <Reaches channel={channel} />
            {company && ` · ${company.name}`}
          </span>
        </span>
        <Outcome
          last={lastOf(
            channel,
            data && { at: new Date(submittedAt).toISOString(), delivered: data.delivered, detail: null },
          )}
        />
        <span className="flex gap-2 max-md:w-full max-md:justify-end">
          <Button
            needsServer
            size="sm"
            aria-label={words.testNamed(name)}
            aria-busy={isPending}
            disabled={isPending}
            onClick={() => mutate()}
          >
            {isPending ? words.testing : words.test}
          </Button>
          <Button
            needsServer
            size="sm"
            aria-label={words.changeNamed(name)}
            onClick={() => onOpen(`channel-${id}`)}
          >
            {words.change}
          </Button>
          <Button
            needsServer
            size="sm"
            aria-label={words.removeNamed(name)}
            onClick={() => onOpen(`drop-${id}`)}
          >
            {words.remove}
          </Button>
        </span>
      </div>
      {error && <Notice tone="bad">{faultText(error, words.testFailed)}</Notice>}
      {data && (
        <Notice tone={data.delivered ? 'ok' : 'bad'}>
          {data.delivered ? words.testArrived(name) : words.testLost(name, faults.why(data))}
        </Notice>
      )}
    </li>
  )
}

/** Whom or what its messages reach. */
function Reaches({ channel: { kind, settings } }: { channel: AlertChannel }) {
  const { to, url, chat_id, topic } = settings
  const parts = [Array.isArray(to) ? to.join(', ') : to, chat_id, topic, url]
  return (
    <>
      {parts.filter((part) => part !== undefined).join(' · ')}
      {kind === 'sms' && ` · ${words.otherDevice}`}
    </>
  )
}

type Last = AlertChannel['last']

/** The later one of the last message and of a test made here, whose reason is shown below. */
function lastOf({ last }: AlertChannel, test: Last | undefined): Last {
  return test && (!last || test.at > last.at) ? test : last
}

function Outcome({ last }: { last: Last }) {
  if (!last) return <span className="text-sm text-muted">{words.untried}</span>
  return (
    <span
      className={`flex items-center gap-1.5 text-sm font-semibold [overflow-wrap:anywhere] ${last.delivered ? 'text-ok' : 'text-bad'}`}
    >
      <MarkIcon mark={last.delivered ? 'check' : 'cross'} />
      {last.delivered ? words.works(dayTime(last.at)) : words.fails(dayTime(last.at), faults.why(last))}
    </span>
  )
}
