import { useQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { text } from '#console/core/text.ts'
import { AlertSettingsBox } from './alert-settings-box.tsx'
import { channelsQuery, openAlertsQuery, rulesQuery } from './calls.ts'
import { Channels } from './channels.tsx'
import { failingChannels } from './failing.ts'
import { channelFaults as faults } from './channel-text.ts'
import { Rules } from './rules.tsx'
import { alertRules as words } from './text.ts'
import { Notice } from '#console/ui/notice.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { dayTime } from '#console/ui/time.ts'

const AlertDialogs = lazyPart(() => import('./alert-dialogs.tsx'))

type Address = {
  company: string | undefined
  /** `new` or `new-channel`; or an id after `rule-`, `hours-` or `channel-` to change it, `remove-` or `drop-` to delete it. */
  open: string | undefined
}

/** The rules for alerts, the channels that are told, and how often. */
export default function AlertsTab({
  company,
  open,
  onChange,
}: Address & { onChange: (next: Partial<Address>) => void }) {
  const rules = useQuery(rulesQuery)
  const channels = useQuery(channelsQuery)
  const { data: alerts = [] } = useQuery(openAlertsQuery)
  const failed = rules.isError || channels.isError
  const show = (next: string | undefined) => onChange({ open: next })
  const loaded = rules.data && channels.data && { rules: rules.data, channels: channels.data }

  return (
    <>
      {failed && (
        <Notice
          tone="bad"
          retry={{ label: text.retry, run: () => void Promise.all([rules.refetch(), channels.refetch()]) }}
        >
          {words.loadFailed} {loaded && text.kept}
        </Notice>
      )}
      {loaded &&
        failingChannels(loaded.channels, loaded.rules).map(({ channel: { id, name, last }, rules }) => (
          <Notice key={id} tone="bad" retry={{ label: words.change, run: () => show(`channel-${id}`) }}>
            {words.failing(name, dayTime(last!.at), faults.why(last!))}{' '}
            {rules.length > 0 &&
              words.onlyThere(rules.map(({ condition }) => words.sentences[condition].name).join(', '))}
          </Notice>
        ))}
      {loaded ? (
        <>
          <Rules {...loaded} alerts={alerts} onOpen={show} />
          <div className="grid items-start gap-3 min-[1100px]:grid-cols-[minmax(0,1fr)_360px]">
            <Channels channels={loaded.channels} onOpen={show} />
            <AlertSettingsBox company={company} onCompany={(next) => onChange({ company: next })} />
          </div>
        </>
      ) : (
        !failed && <Skeleton kind="list" />
      )}
      {open !== undefined && loaded && (
        <Suspense>
          <AlertDialogs key={open} open={open} {...loaded} onClose={() => show(undefined)} />
        </Suspense>
      )}
    </>
  )
}
