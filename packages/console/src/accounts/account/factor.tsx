import { useQuery } from '@tanstack/react-query'
import { secondFactorQuery } from './account.ts'
import type { AccountSearch } from './search.ts'
import { text } from '#console/core/text.ts'
import { account as words } from './text.ts'
import { Box } from '#console/ui/box.tsx'
import { Button } from '#console/ui/button.tsx'
import { MarkIcon } from '#console/ui/marks.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { dayTime } from '#console/ui/time.ts'

/** With this many codes left or fewer, the user should make new ones. */
const FEW = 3

/** Shows whether login asks for a code, and offers to change that. */
export function SecondFactorPanel({ onOpen }: { onOpen: (dialog: AccountSearch['open']) => void }) {
  const { data: factor, isError, refetch } = useQuery(secondFactorQuery)
  return (
    <Box title={words.factor}>
      {isError && (
        <Notice tone="bad" retry={{ label: text.retry, run: () => void refetch() }} className="mb-3">
          {words.factorFailed}
        </Notice>
      )}
      {!factor && !isError && <div className="h-24" aria-busy="true" />}
      {factor && !factor.enabled && (
        <>
          <p className="flex items-center gap-2 font-semibold">
            <MarkIcon mark="dash" className="size-3.5 text-off" />
            {words.off}
          </p>
          <p className="mt-1 max-w-prose text-muted">{words.offMeans}</p>
          <div className="mt-3.5 flex">
            <Button needsServer tone="primary" onClick={() => onOpen('enrol')}>
              {words.turnOn}
            </Button>
          </div>
        </>
      )}
      {factor?.enabled && (
        <>
          <p className="flex items-center gap-2 font-semibold">
            <MarkIcon mark="check" className="size-3.5 text-ok" />
            {words.on}
            {factor.since && (
              <span className="font-normal text-muted">
                {words.since} <time dateTime={factor.since}>{dayTime(factor.since)}</time>
              </span>
            )}
          </p>
          <p className="mt-1 max-w-prose text-muted">
            {words.onMeans} {words.codesLeft(factor.recovery_codes_left)}
          </p>
          {factor.recovery_codes_left <= FEW && (
            <Notice tone="warn" className="mt-2">
              {words.fewCodes}
            </Notice>
          )}
          <div className="mt-3.5 flex flex-wrap gap-2">
            <Button needsServer onClick={() => onOpen('renew')}>
              {words.renew}
            </Button>
            <Button needsServer onClick={() => onOpen('off')}>
              {words.turnOff}
            </Button>
          </div>
        </>
      )}
    </Box>
  )
}
