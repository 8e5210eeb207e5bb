import { rowGroups, type RowGroup, type CampaignPreview } from '@sdd/contract/people/campaign-checks.ts'
import { useMutation } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Fragment, Suspense } from 'react'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { text } from '#console/core/text.ts'
import { downloadCheck } from './calls.ts'
import { Step, type StepState } from './step.tsx'
import { newCampaign as words } from './text.ts'
import type { EditorState } from './use-editor.ts'
import { Button } from '#console/ui/button.tsx'
import { MarkIcon, type Mark } from '#console/ui/marks.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { formatCount } from '#console/ui/numbers.ts'
import { saveFile } from '#console/ui/save-file.ts'
import { hourTime } from '#console/ui/time.ts'
import { toast } from '#console/ui/toast.tsx'

const GroupRows = lazyPart(() => import('./group-rows.tsx'))

const route = getRouteApi('/shell/campaigns/new')

const marks: Record<RowGroup, { mark: Mark; look: string }> = {
  sendable: { mark: 'check', look: 'text-ok' },
  repeated: { mark: 'dash', look: 'text-muted' },
  invalid: { mark: 'cross', look: 'text-bad' },
  opted_out: { mark: 'struck', look: 'text-muted' },
  without_consent: { mark: 'triangle', look: 'text-warn' },
  over_recipient_cap: { mark: 'clock', look: 'text-muted' },
}

/** What becomes of each row: groups that add up to all of them, each with its rows. */
export function CheckStep({ editor, state }: { editor: EditorState; state: StepState }) {
  const { preview, id, recheck } = editor
  const { data, current, failed, at_ms } = preview
  return (
    <Step
      name="check"
      state={state}
      result={current ? words.checkedAt(hourTime(at_ms)) : data && !failed && words.checking}
    >
      {failed && (
        <Notice tone="bad" retry={{ label: text.retry, run: recheck }}>
          {words.checkFailed}
        </Notice>
      )}
      {data && id !== undefined ? (
        <Groups editor={editor} data={data} id={id} />
      ) : (
        <p className="text-muted">{words.checkWaits}</p>
      )}
    </Step>
  )
}

function Groups({ editor, data, id }: { editor: EditorState; data: CampaignPreview; id: number }) {
  const { group: open } = route.useSearch()
  const navigate = route.useNavigate()
  const show = (group: RowGroup | undefined) =>
    void navigate({ search: (now) => ({ ...now, group }), replace: true })
  const saving = useMutation({
    mutationFn: () => downloadCheck(id),
    onSuccess: ({ file, name }) => saveFile(file, name ?? 'rows.csv'),
    onError: () => toast({ text: words.downloadFailed }),
  })
  const notSent = data.rows - data.sendable
  return (
    <ul className="divide-y divide-line rounded-sm border border-line">
      {rowGroups.map((group) => (
        <Fragment key={group}>
          <li className="px-3 py-2">
            <div className={line}>
              <MarkIcon mark={marks[group].mark} className={`size-3 ${marks[group].look}`} />
              <b className="font-semibold">{words.groups[group]}</b>
              <span className="text-right tabular-nums">{formatCount(data[group])}</span>
              <span className="text-sm text-muted max-md:col-span-full">{hintOf(group, data)}</span>
              <span className="text-right max-md:col-span-full max-md:text-left">
                {data[group] > 0 && (
                  <Button
                    tone="ghost"
                    size="sm"
                    className="text-link underline"
                    aria-expanded={open === group}
                    onClick={() => show(open === group ? undefined : group)}
                  >
                    {open === group
                      ? words.hide
                      : group === 'invalid'
                        ? words.correct
                        : words.show(formatCount(data[group]))}
                    <span className="sr-only">{`: ${words.groups[group]}`}</span>
                  </Button>
                )}
              </span>
            </div>
            {open === group && data[group] > 0 && (
              <Suspense>
                <GroupRows key={group} editor={editor} id={id} group={group} />
              </Suspense>
            )}
          </li>
        </Fragment>
      ))}
      <li className="bg-sunken px-3 py-2">
        <div className={line}>
          <span />
          <b className="font-semibold">{words.total}</b>
          <b className="text-right tabular-nums">{formatCount(data.rows)}</b>
          <span className="text-sm text-muted max-md:col-span-full">
            {notSent > 0 && words.totalHint(formatCount(notSent))}
          </span>
          <span className="text-right max-md:col-span-full max-md:text-left">
            {notSent > 0 && (
              <Button
                tone="ghost"
                size="sm"
                className="text-link underline"
                needsServer
                aria-busy={saving.isPending}
                onClick={() => saving.mutate()}
              >
                {words.download}
              </Button>
            )}
          </span>
        </div>
      </li>
    </ul>
  )
}

const line =
  'grid min-h-7 grid-cols-[12px_minmax(0,170px)_72px_minmax(0,1fr)_auto] items-center gap-x-3 gap-y-1 max-md:grid-cols-[12px_minmax(0,1fr)_auto]'

function hintOf(group: RowGroup, { faults, by_parts, parts, invalid }: CampaignPreview): string {
  if (group === 'sendable') {
    const each = by_parts.map(({ parts, rows }) => words.partsOf(parts, formatCount(rows)))
    return [...each, words.groupHints.sendable(formatCount(parts))].join(' · ')
  }
  if (group !== 'invalid' || invalid === 0) return words.groupHints[group]
  return faults
    .map(
      ({ code, field, rows }) =>
        `${words.faultCounts[code]}${field ? ` {{${field}}}` : ''} ${formatCount(rows)}`,
    )
    .join(' · ')
}
