import type { LinkCode } from '@sdd/contract/fleet/devices.ts'
import { useQuery } from '@tanstack/react-query'
import { text } from '#console/core/text.ts'
import { linking as words } from './linking-text.ts'
import { linkCodesQuery } from './linking.ts'
import { Button } from '#console/ui/button.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { dayTime, shortTime } from '#console/ui/time.ts'

/** The valid link codes, each with a button to revoke it. */
export function LinkCodeList({ onRevoke }: { onRevoke: (code: LinkCode) => void }) {
  const { data: codes, isError, refetch } = useQuery(linkCodesQuery)
  if (isError) {
    return (
      <Notice tone="bad" retry={{ label: text.retry, run: () => void refetch() }}>
        {words.codesFailed}
      </Notice>
    )
  }
  if (!codes) return <div className="h-20" aria-busy="true" />
  if (codes.length === 0) return <p className="text-muted">{words.noCodes}</p>
  return (
    <ul
      aria-label={words.codes}
      className="max-h-[50vh] divide-y divide-line overflow-y-auto border-y border-line"
    >
      {codes.map((code) => (
        <li key={code.id} className="flex items-center gap-3 py-2 text-sm">
          <span className="min-w-0 flex-1">
            <span className="block">
              <b className="mono font-semibold">{code.hint}…</b>
              {` · ${words.usesLeft(code.uses_left, code.uses)}`}
            </span>
            <span className="block [overflow-wrap:anywhere] text-muted">
              {words.madeBy(code.by)}
              {' · '}
              <time dateTime={code.expires_at} title={dayTime(code.expires_at)}>
                {words.expires(shortTime(code.expires_at))}
              </time>
            </span>
          </span>
          <Button
            needsServer
            size="sm"
            aria-label={words.revokeOne(code.hint)}
            onClick={() => onRevoke(code)}
          >
            {words.revoke}
          </Button>
        </li>
      ))}
    </ul>
  )
}
