import type { CampaignDetail, CampaignReason } from '@sdd/contract/people/campaigns.ts'
import { holds } from '@sdd/contract/core/roles.ts'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Download, RotateCcw } from 'lucide-react'
import { faultText } from '#console/core/api.ts'
import { useRole } from '#console/core/use-role.ts'
import { outcomes } from '#console/messages/outcomes/text.ts'
import { retryRows } from './campaign-calls.ts'
import { campaignPage as words } from './page-text.ts'
import { rowsFile } from './rows-file.ts'
import type { Part } from './progress.ts'
import { Box } from '#console/ui/box.tsx'
import { Button } from '#console/ui/button.tsx'
import { formatCount } from '#console/ui/numbers.ts'
import { toast } from '#console/ui/toast.tsx'
import { useExport } from '#console/ui/use-export.ts'

type Shown = { state: Part | undefined; reason: string | undefined }

/** The failures by reason, and the rows that are never sent. A reason filters the table. */
export function Failures({
  campaign,
  shown,
  onShow,
}: {
  campaign: CampaignDetail
  shown: Shown
  onShow: (next: Shown) => void
}) {
  const { id, state, reasons } = campaign
  const ended = state === 'stopped' || state === 'finished'
  const manages = holds(useRole(), 'campaigns:manage')
  const { mutate, isPending } = useRetry(id)
  const failed = reasons.filter(({ state }) => state === 'failed')
  const retryable = sumOf(failed, 'retryable')
  const several = failed.filter((reason) => reason.retryable > 0).length > 1
  const unsent = reasons.filter(({ state }) => state === 'skipped')
  const reasonLine = (reason: CampaignReason, most: number | undefined) => {
    const pressed = shown.reason === reason.reason && shown.state === reason.state
    return (
      <ReasonLine
        key={reason.reason}
        reason={reason}
        most={most}
        pressed={pressed}
        // The button below them retries a single reason.
        onRetry={manages && ended && several && !isPending ? () => mutate(reason.reason) : undefined}
        onPress={() =>
          onShow(
            pressed
              ? { state: undefined, reason: undefined }
              : { state: partOf(reason), reason: reason.reason },
          )
        }
      />
    )
  }
  return (
    <>
      {failed.length > 0 && (
        <Box title={words.failures} beside={formatCount(sumOf(failed, 'count'))}>
          <ul className="flex flex-col gap-2.5">
            {failed.map((reason) => reasonLine(reason, failed[0]!.count))}
          </ul>
          <p className="mt-3 flex flex-wrap gap-2">
            {manages && retryable > 0 && (
              <Button
                needsServer
                size="sm"
                title={ended ? words.retryTitle : words.retryLater}
                disabled={!ended || isPending}
                aria-busy={isPending}
                onClick={() => mutate(undefined)}
              >
                <RotateCcw className="size-4" aria-hidden="true" />
                {words.retry(formatCount(retryable))}
              </Button>
            )}
            <DownloadFailed id={id} count={sumOf(failed, 'count')} />
            {manages && retryable > 0 && !ended && (
              <span className="w-full text-sm text-muted">{words.retryLater}</span>
            )}
          </p>
        </Box>
      )}
      {unsent.length > 0 && (
        <Box title={words.unsent} beside={formatCount(sumOf(unsent, 'count'))}>
          <ul className="flex flex-col gap-1">{unsent.map((reason) => reasonLine(reason, undefined))}</ul>
        </Box>
      )}
    </>
  )
}

function ReasonLine({
  reason: { state, reason, count, retryable },
  most,
  pressed,
  onPress,
  onRetry,
}: {
  reason: CampaignReason
  /** The count of the most frequent reason; without it there is no bar. */
  most: number | undefined
  pressed: boolean
  onPress: () => void
  /** Undefined if rows of one reason cannot be retried now. */
  onRetry: (() => void) | undefined
}) {
  return (
    <li>
      <span className="flex items-baseline gap-2">
        <button
          type="button"
          aria-pressed={pressed}
          onClick={onPress}
          className="min-w-0 text-left underline decoration-line-strong underline-offset-3 hover:decoration-ink aria-pressed:font-bold max-md:min-h-11"
        >
          {reasonText(state, reason)}
        </button>
        <b className="ml-auto font-bold tabular-nums">{formatCount(count)}</b>
      </span>
      {most !== undefined && (
        <>
          <span className="my-1 block h-1.5 bg-off-bg">
            <span
              className="block h-full min-w-[3px] bg-bad-solid"
              style={{ width: `${(100 * count) / most}%` }}
            />
          </span>
          {retryable > 0 && onRetry ? (
            <Button
              needsServer
              size="sm"
              tone="ghost"
              className="-ml-2 text-link underline"
              title={words.retryTitle}
              aria-label={words.retryOf(formatCount(retryable), reasonText(state, reason))}
              onClick={onRetry}
            >
              {words.retry(formatCount(retryable))}
            </Button>
          ) : (
            <span className="text-sm text-muted">
              {retryable === 0 ? words.notRetried : words.retryable(retryable, formatCount(retryable))}
            </span>
          )}
        </>
      )}
    </li>
  )
}

/** Makes a draft of failed rows, of all reasons or of one, and opens it. */
function useRetry(id: number) {
  const navigate = useNavigate()
  return useMutation({
    mutationKey: ['campaign-retry'],
    mutationFn: (reason: string | undefined) => retryRows(id, reason),
    onSuccess: (draft) => void navigate({ to: '/campaigns/new', search: { draft: String(draft.id) } }),
    onError: (fault) => toast({ text: faultText(fault, words.retryFailed) }),
  })
}

function DownloadFailed({ id, count }: { id: number; count: number }) {
  const { bytes, start } = useExport(rowsFile(id, { state: 'failed' }))
  return (
    <Button size="sm" tone="ghost" disabled={bytes !== undefined} onClick={() => start('machine')}>
      <Download className="size-4" aria-hidden="true" />
      {words.download(formatCount(count))}
    </Button>
  )
}

/** The words for why a row ended badly. */
export function reasonText(state: string, reason: string): string {
  return (state === 'skipped' ? words.skips[reason] : undefined) ?? outcomes.cause(reason)
}

function partOf({ state }: CampaignReason): Part {
  return state === 'skipped' ? 'skipped' : 'failed'
}

function sumOf(reasons: readonly CampaignReason[], field: 'count' | 'retryable'): number {
  return reasons.reduce((sum, reason) => sum + reason[field], 0)
}
