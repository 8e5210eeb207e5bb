import { Link } from '@tanstack/react-router'
import { timelineOf, type TimelineStep } from './timeline.ts'
import { dayTime, preciseTime } from '#console/ui/time.ts'
import { TimedText } from '#console/ui/timed-text.tsx'

/** What happened to a message, step by step. The steps of an attempt are below it. */
export function TimelineList({ message }: { message: Parameters<typeof timelineOf>[0] }) {
  return <Steps steps={timelineOf(message)} />
}

function Steps({ steps, nested = false }: { steps: readonly TimelineStep[]; nested?: boolean }) {
  return (
    <ol className={`ml-[5px] grid gap-[9px] border-l-2 border-line pl-4 text-sm ${nested ? 'mt-[9px]' : ''}`}>
      {steps.map((step) => (
        <Item key={step.label} step={step} />
      ))}
    </ol>
  )
}

function Item({ step: { label, at, detail, tone, device, steps } }: { step: TimelineStep }) {
  return (
    <li
      data-tone={tone}
      className="relative before:absolute before:top-1 before:-left-[22px] before:size-2.5 before:rounded-full before:border-2 before:border-line-strong before:bg-panel data-[tone=bad]:before:rounded-[1px] data-[tone=bad]:before:border-bad-solid data-[tone=ok]:before:border-ok-solid data-[tone=ok]:before:bg-ok-solid"
    >
      <span className="flex justify-between gap-3">
        {label}
        {at && (
          <time dateTime={at} title={dayTime(at)} className="mono text-muted">
            {preciseTime(at)}
          </time>
        )}
      </span>
      {(device || detail) && (
        <span dir="auto" className="block break-words text-muted">
          {device && <DeviceLink uid={device} />}
          {device && detail && ' · '}
          {detail && <TimedText>{detail}</TimedText>}
        </span>
      )}
      {steps && steps.length > 0 && <Steps steps={steps} nested />}
    </li>
  )
}

/** A link to the device, opened in the list of devices. */
export function DeviceLink({ uid }: { uid: string }) {
  return (
    <Link
      to="/devices"
      search={{ search: uid, open: uid }}
      className="mono break-all text-link underline underline-offset-2 max-md:inline-flex max-md:min-h-11 max-md:items-center"
    >
      {uid}
    </Link>
  )
}
