import { isOlder } from '@sdd/contract/core/version.ts'
import { readAgents, type AgentRelease, type AgentVersion } from '@sdd/contract/fleet/agents.ts'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { agents as words } from './text.ts'
import { callApi } from '#console/core/api.ts'
import { text } from '#console/core/text.ts'
import { Button } from '#console/ui/button.tsx'
import { Modal } from '#console/ui/dialog.tsx'
import { Pill } from '#console/ui/marks.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { formatCount } from '#console/ui/numbers.ts'

const agentsQuery = queryOptions({
  queryKey: ['agents'],
  queryFn: ({ signal }) => callApi(readAgents, { signal }),
})

/** The agents of the devices by version, those that are older than the server's release, and the changes that these lack. */
export default function AgentsDialog({ onClose }: { onClose: () => void }) {
  const { data, isError, refetch } = useQuery(agentsQuery)
  const old = data?.agents.filter(({ older }) => older) ?? []
  const behind = old.reduce((sum, { devices }) => sum + devices, 0)

  return (
    <Modal title={words.title} wide onClose={onClose}>
      {isError && (
        <Notice tone="bad" retry={{ label: text.retry, run: () => void refetch() }}>
          {words.loadFailed}
        </Notice>
      )}
      {!data && !isError && <div className="h-40" aria-busy="true" />}
      {data && (
        <div className="flex flex-col gap-4">
          <p>
            {words.newest(data.newest)} {words.behind(behind, formatCount(behind))}
          </p>
          <ul aria-label={words.title} className="divide-y divide-line border-y border-line">
            {data.agents.map((agent) => (
              <Version key={agent.agent} {...agent} />
            ))}
          </ul>
          {old.length > 0 && <Changes releases={missedBy(old, data.releases)} />}
          <p className="text-sm text-muted">{words.manual}</p>
        </div>
      )}
      <div className="flex justify-end pt-4">
        <Button tone="primary" size="lg" onClick={onClose}>
          {text.close}
        </Button>
      </div>
    </Modal>
  )
}

function Version({ agent, version, devices, connected, older }: AgentVersion) {
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
      <span
        className={`min-w-0 flex-1 basis-44 [overflow-wrap:anywhere] ${agent ? 'mono font-semibold' : ''}`}
      >
        {agent ?? words.unknown}
      </span>
      {version && (
        <Pill tone={older ? 'warn' : 'ok'} mark={older ? 'triangle' : 'check'}>
          {older ? words.older : words.current}
        </Pill>
      )}
      <span className="text-sm text-muted">
        <Link
          to="/devices"
          search={{ agent: agent ?? '' }}
          className="inline-flex min-h-6 items-center text-link underline max-md:min-h-11"
        >
          {words.devices(devices, formatCount(devices))}
        </Link>
        {' · '}
        {words.connected(connected, formatCount(connected))}
      </span>
    </li>
  )
}

/** The releases that the oldest of these agents lacks. */
function missedBy(old: readonly AgentVersion[], releases: readonly AgentRelease[]): AgentRelease[] {
  return releases.filter((release) => old.some(({ version }) => version && isOlder(version, release.version)))
}

/** The changelog is in English. */
function Changes({ releases }: { releases: readonly AgentRelease[] }) {
  return (
    <section aria-label={words.changes} className="flex flex-col gap-2">
      <h3 className="font-semibold">{words.changes}</h3>
      {releases.map(({ version, date, changes }) => (
        <div key={version}>
          <h4 className="font-semibold">{[version, date].filter(Boolean).join(' · ')}</h4>
          {changes.length === 0 && <p className="text-sm text-muted">{words.unchanged}</p>}
          {changes.length > 0 && (
            <ul lang="en" className="list-disc pl-5 text-sm">
              {changes.map((change) => (
                <li key={change}>{change}</li>
              ))}
            </ul>
          )}
        </div>
      ))}
    </section>
  )
}
