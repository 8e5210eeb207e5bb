import { useQuery } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import { sampleQuery } from './calls.ts'
import type { UploadPlan } from './rows.ts'
import { drawSample, localSamples, piecesOf, type Sample } from './sample.ts'
import { newCampaign as words } from './text.ts'
import type { EditorState } from './use-editor.ts'
import { Button } from '#console/ui/button.tsx'
import { formatCount } from '#console/ui/numbers.ts'

const SHOWN = 3

/** Where the preview is: at a page of the rows, or at one row. `pages` are the rows after which each page begins. */
type Place = { pages: readonly number[]; jump: 'longest' | 'first_in_parts' | undefined }

/**
 * Rows with the text as it is typed. They are the sendable ones of the last check or, until there is one, the first of
 * the file.
 */
export default function TextPreview({
  editor: { id, draft, preview, version, settled },
  samplesFrom,
}: {
  editor: EditorState
  samplesFrom: UploadPlan | undefined
}) {
  const title = useId()
  const [{ pages, jump }, setPlace] = useState<Place>({ pages: [0], jump: undefined })
  const checked = preview.data && preview.data.sendable > 0 ? preview.data : undefined
  const after = pages.at(-1)!
  const from = (pages.length - 1) * SHOWN
  const { data: page, isPlaceholderData } = useQuery({
    ...sampleQuery(id, after, version),
    enabled: checked !== undefined && settled && after > 0,
  })
  const isEmpty = page?.length === 0 && !isPlaceholderData
  // Its rows are gone.
  if (after > 0 && checked && (from >= checked.sendable || isEmpty)) setPlace({ pages: [0], jump })
  const jumped = jump && checked?.[jump]
  const samples: readonly Sample[] = jumped
    ? [jumped]
    : checked
      ? after === 0
        ? checked.examples.slice(0, SHOWN)
        : (page ?? [])
      : samplesFrom && samplesFrom.choices.includes('number')
        ? localSamples(samplesFrom, 1, SHOWN)
        : []
  // While a field is typed, its braces are text.
  const pieces = piecesOf(draft.text) ?? [draft.text]
  return (
    <section aria-labelledby={title} className="flex min-w-0 flex-col gap-1.5">
      <h3 id={title} className="font-semibold">
        {words.preview}
      </h3>
      {samples.length === 0 || draft.text === '' ? (
        <p className="rounded-sm border border-line bg-sunken px-3 py-2.5 text-muted">{words.noPreview}</p>
      ) : (
        <ul className="divide-y divide-line rounded-sm border border-line bg-sunken">
          {samples.map((sample) => (
            <li key={sample.row} className="px-3 py-2.5">
              <SampleText sample={sample} pieces={pieces} />
            </li>
          ))}
        </ul>
      )}
      {checked && (
        <div className="flex flex-wrap items-center gap-2 text-sm text-muted">
          {jumped ? (
            <Button size="sm" onClick={() => setPlace({ pages: [0], jump: undefined })}>
              {words.fromStart}
            </Button>
          ) : (
            <>
              <Button
                size="sm"
                square
                aria-label={words.previous}
                disabled={pages.length === 1}
                onClick={() => setPlace({ pages: pages.slice(0, -1), jump: undefined })}
              >
                <ChevronLeft className="size-4" aria-hidden="true" />
              </Button>
              <span className="tabular-nums">
                {words.range(
                  formatCount(from + 1),
                  formatCount(Math.min(from + SHOWN, checked.sendable)),
                  formatCount(checked.sendable),
                )}
              </span>
              <Button
                size="sm"
                square
                aria-label={words.next}
                disabled={from + SHOWN >= checked.sendable || samples.length === 0}
                onClick={() => setPlace({ pages: [...pages, samples.at(-1)!.row], jump: undefined })}
              >
                <ChevronRight className="size-4" aria-hidden="true" />
              </Button>
            </>
          )}
          <span className="ml-auto flex flex-wrap gap-x-1">
            {checked.first_in_parts && (
              <Jump onGo={() => setPlace({ pages: [0], jump: 'first_in_parts' })}>
                {words.firstInParts(formatCount(checked.first_in_parts.row))}
              </Jump>
            )}
            {checked.longest && (
              <Jump onGo={() => setPlace({ pages: [0], jump: 'longest' })}>
                {words.longest(formatCount(checked.longest.row))}
              </Jump>
            )}
          </span>
        </div>
      )}
    </section>
  )
}

function Jump({ onGo, children }: { onGo: () => void; children: string }) {
  return (
    <Button tone="ghost" size="sm" className="text-link underline" onClick={onGo}>
      {children}
    </Button>
  )
}

function SampleText({
  sample,
  pieces,
}: {
  sample: Sample
  pieces: NonNullable<ReturnType<typeof piecesOf>>
}) {
  const drawn = drawSample(pieces, sample)
  if (drawn.missing !== undefined) {
    return (
      <p>
        <span className="text-muted">{words.previewRow(formatCount(sample.row))}</span>{' '}
        <span className="font-medium text-bad">{words.missing(`{{${drawn.missing}}}`)}</span>
      </p>
    )
  }
  const { encoding, segments, units } = drawn.measure
  return (
    <>
      {/* The language of a text is unknown. */}
      <p lang="" dir="auto" className="wrap-anywhere whitespace-pre-wrap">
        {drawn.pieces.map((piece, n) => (typeof piece === 'string' ? piece : <b key={n}>{piece.value}</b>))}
      </p>
      <p className="mt-1 flex flex-wrap gap-x-3 text-sm text-muted tabular-nums">
        <span>{words.previewRow(formatCount(sample.row))}</span>
        <span>{words.characters(units)}</span>
        <span>
          {encoding === 'ucs2'
            ? words.becauseOf(drawn.letters.slice(0, 3).map(words.letter).join(' '))
            : words.encodings[encoding]}
        </span>
        <span className={segments > 1 ? 'font-semibold text-warn' : ''}>{words.parts(segments)}</span>
      </p>
    </>
  )
}
