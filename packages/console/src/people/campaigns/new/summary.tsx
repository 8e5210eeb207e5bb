import type { CampaignPreview } from '@sdd/contract/people/campaign-checks.ts'
import { CallFault } from '@sdd/contract/core/client.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Send } from 'lucide-react'
import { useState } from 'react'
import { faultText } from '#console/core/api.ts'
import { useServerGone } from '#console/core/server-gone.ts'
import { text } from '#console/core/text.ts'
import { start } from './calls.ts'
import { lastingOf, newlyOut } from './counts.ts'
import { goToStep, stepNames, type StepName, type StepState } from './step.tsx'
import { newCampaign as words } from './text.ts'
import type { EditorState } from './use-editor.ts'
import { dayAndTime } from './when.ts'
import { useNow } from '#console/ui/ago.tsx'
import { Button } from '#console/ui/button.tsx'
import { Field, TextInput } from '#console/ui/field.tsx'
import { GoneReason } from '#console/ui/gone-reason.tsx'
import { MarkIcon } from '#console/ui/marks.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { formatCount } from '#console/ui/numbers.ts'

/** How many go out, what that costs, when it ends, and the confirmation. Its lines are always the same. */
export function Summary({ editor, states }: { editor: EditorState; states: Record<StepName, StepState> }) {
  const { draft, preview } = editor
  const { data, current } = preview
  const now_ms = useNow()
  const begins_ms = Math.max(now_ms, Date.parse(draft.not_before) || 0)
  const later = begins_ms > now_ms
  const lasting = data?.finishes_at ? lastingOf(Date.parse(data.finishes_at) - begins_ms) : undefined
  const { devices = 0, away = 0, per_hour = 0 } = data?.basis ?? {}
  const facts: [label: string, value: string][] = [
    [words.notSent, data ? formatCount(data.rows - data.sendable) : text.none],
    [words.by, data ? words.byDevices(formatCount(devices), formatCount(devices + away)) : text.none],
    [words.begins, later ? dayAndTime(begins_ms, now_ms, words.starts) : words.now],
    [words.rate, data && devices > 0 ? words.perHour(formatCount(per_hour)) : text.none],
    [words.lasts, lasting ? words.duration(...lasting) : text.none],
  ]
  return (
    <aside
      id="campaign-summary"
      aria-label={words.summary}
      className="panel sticky top-0 flex flex-col gap-3 px-4 py-3.5 max-lg:static"
    >
      <div>
        <h2 lang="" className="font-semibold wrap-anywhere">
          {draft.name.trim() || words.unnamed}
        </h2>
        <p className="text-2xl leading-tight font-bold tabular-nums">{formatCount(data?.sendable ?? 0)}</p>
        <p className="text-sm text-muted">
          {words.messagesAndParts(words.messages(String(data?.sendable ?? 0)), formatCount(data?.parts ?? 0))}
        </p>
      </div>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 border-t border-line pt-3 text-sm">
        {facts.map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="text-muted">{label}</dt>
            <dd className="text-right tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      <div className="min-h-24 border-l-4 border-info-solid bg-sunken px-3 py-2" aria-busy={!current}>
        <p className="font-semibold">{endOf(data, now_ms)}</p>
        {data && data.sendable > 0 && (
          <p className="mt-0.5 text-sm text-muted">
            {devices > 0 && words.basis(formatCount(data.sendable), formatCount(per_hour))}{' '}
            {data.limited_by && words.brakes[data.limited_by]}{' '}
            {away > 0 && words.awayCount(formatCount(away))}
          </p>
        )}
      </div>
      <Confirmation editor={editor} later={later} />
      <ul className="flex flex-col gap-1 border-t border-line pt-2.5 text-sm">
        {stepNames.map((name) => (
          <li key={name}>
            <button
              type="button"
              className={`flex min-h-7 items-center gap-2 max-md:min-h-11 ${states[name] === 'here' ? 'font-semibold' : 'text-muted'}`}
              onClick={() => goToStep(name)}
            >
              <MarkIcon
                mark={states[name] === 'done' ? 'check' : states[name] === 'running' ? 'arc' : 'dot'}
                className={`size-3 ${states[name] === 'done' ? 'text-ok' : 'text-muted'}`}
              />
              {words.steps[name]}
            </button>
          </li>
        ))}
      </ul>
    </aside>
  )
}

function endOf(data: CampaignPreview | undefined, now_ms: number): string {
  if (!data || data.sendable === 0) return words.nothing
  if (data.finishes_at === null) return words.endUnknown
  return words.ends(dayAndTime(Date.parse(data.finishes_at), now_ms, words.times))
}

/** The count that a person types. Another count empties the field, and says why. */
function Confirmation({ editor, later }: { editor: EditorState; later: boolean }) {
  const { id, preview, settled, saver } = editor
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const gone = useServerGone()
  const [typed, setTyped] = useState('')
  const [seen, setSeen] = useState<CampaignPreview>()
  const [note, setNote] = useState<string>()
  const { data, current } = preview
  if (current && data !== seen) {
    if (seen && data && seen.sendable !== data.sendable && seen.sendable > 0) {
      setNote(
        [
          words.changed(formatCount(seen.sendable), formatCount(data.sendable)),
          ...newlyOut(seen, data).map(([group, count]) =>
            words.grown(words.groups[group], formatCount(count)),
          ),
        ].join(' '),
      )
      setTyped('')
    }
    setSeen(data)
  }
  const starting = useMutation({
    mutationFn: ({ of, rows }: { of: number; rows: number }) => start(of, rows),
    onSuccess(campaign) {
      saver.drop()
      void queryClient.invalidateQueries({ queryKey: ['campaigns'] })
      void navigate({ to: '/campaigns/$id', params: { id: String(campaign.id) } })
    },
    onError(fault) {
      if (fault instanceof CallFault && fault.code === 'rows_changed') editor.recheck()
    },
  })
  const sendable = data?.sendable ?? 0
  const matches = typed.replace(/[\s.,\u202f]/g, '') === String(sendable)
  const ready =
    current && settled && sendable > 0 && matches && data?.uploading === null && !starting.isPending && !gone
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (ready && id !== undefined) starting.mutate({ of: id, rows: sendable })
      }}
    >
      <Field label={words.confirmLabel(formatCount(sendable))}>
        {(ids) => (
          <TextInput
            {...ids}
            inputMode="numeric"
            autoComplete="off"
            value={typed}
            onChange={({ target }) => {
              setTyped(target.value)
              starting.reset()
            }}
          />
        )}
      </Field>
      {note && <Notice tone="warn">{note}</Notice>}
      {starting.error && <Notice tone="bad">{faultText(starting.error, words.startFailed)}</Notice>}
      <GoneReason />
      {/* Not `disabled`: a disabled button would lose the focus. */}
      <Button type="submit" tone="primary" size="lg" aria-disabled={!ready} aria-busy={starting.isPending}>
        <Send className="size-4" aria-hidden="true" />
        {later ? words.schedule : words.send}
      </Button>
      <p className="text-sm text-muted">{words.canStop}</p>
    </form>
  )
}

/** The count and the end, and a button that leads to the summary. Shown if that is below the steps. */
export function SummaryBar({ editor: { preview } }: { editor: EditorState }) {
  const { data } = preview
  const now_ms = useNow()
  return (
    <div className="hidden items-center gap-3 border-t border-line bg-panel px-4 py-2.5 max-lg:flex">
      <p className="min-w-0 flex-1">
        <b className="block tabular-nums">
          {formatCount(data?.sendable ?? 0)} {words.messages(String(data?.sendable ?? 0))}
        </b>
        <span className="block truncate text-sm text-muted">
          {data?.finishes_at
            ? words.endsShort(dayAndTime(Date.parse(data.finishes_at), now_ms, words.times))
            : endOf(data, now_ms)}
        </span>
      </p>
      <Button
        tone="primary"
        size="lg"
        onClick={() => {
          const summary = document.getElementById('campaign-summary')
          summary?.scrollIntoView({ block: 'start' })
          summary?.querySelector('input')?.focus({ preventScroll: true })
        }}
      >
        {words.review}
      </Button>
    </div>
  )
}
