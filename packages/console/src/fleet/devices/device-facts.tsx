import { Link } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import { text } from '#console/core/text.ts'
import { devicePage as words } from './device-text.ts'
import type { Device } from './devices.ts'
import type { RecentMessagesComponent } from './network-panel.tsx'
import { SignalBars } from './signal-bars.tsx'
import { devices as list } from './text.ts'
import { Ago } from '#console/ui/ago.tsx'
import { Box } from '#console/ui/box.tsx'
import { formatCount } from '#console/ui/numbers.ts'
import { dayTime } from '#console/ui/time.ts'

/** The device's use of today and what it has, its place and note, and its messages. */
export function DeviceFacts({
  device,
  audits,
  Counts,
  Held,
}: {
  device: Device
  audits: boolean
  Counts: RecentMessagesComponent
  Held: RecentMessagesComponent
}) {
  const { uid, sent_today = 0, max_sms_dayly, queued, last_seen_at, created_at } = device
  return (
    <div className="grid grid-cols-3 gap-3 max-lg:grid-cols-1">
      <Box title={words.today}>
        <Facts>
          <Fact label={words.sentToday}>
            {formatCount(sent_today)} / {max_sms_dayly === undefined ? text.none : formatCount(max_sms_dayly)}
          </Fact>
        </Facts>
        {max_sms_dayly !== undefined && (
          <progress
            aria-label={words.sentToday}
            className="my-2 w-full"
            value={Math.min(sent_today, max_sms_dayly)}
            max={Math.max(1, max_sms_dayly)}
          />
        )}
        <Facts>
          {queued !== undefined && <Fact label={words.queued}>{formatCount(queued)}</Fact>}
          <Fact label={words.lastSeen}>{last_seen_at ? <Ago at={last_seen_at} /> : words.never}</Fact>
        </Facts>
        <section aria-label={words.holds} className="mt-2 border-t border-line pt-2">
          <h3 className="mb-1 font-semibold">{words.holds}</h3>
          <Held uid={uid} />
        </section>
      </Box>
      <Box title={words.about}>
        <Facts>
          <Fact label={words.location}>{device.location ?? text.none}</Fact>
          {device.tags && device.tags.length > 0 && (
            <Fact label={words.tags}>
              {device.tags.map((tag, n) => (
                <Fragment key={tag}>
                  {n > 0 && ' · '}
                  <Link to="/devices" search={{ tag }} className="inline-block min-h-6 text-link underline">
                    {tag}
                  </Link>
                </Fragment>
              ))}
            </Fact>
          )}
          {device.carrier && <Fact label={list.columns.carrier}>{device.carrier}</Fact>}
          {device.signal !== null && device.signal !== undefined && (
            <Fact label={list.columns.signal}>
              <span className="inline-flex items-center gap-1.5">
                <SignalBars signal={device.signal} />
              </span>
            </Fact>
          )}
          {device.agent && <Fact label={words.agent}>{device.agent}</Fact>}
          {created_at && <Fact label={words.linked}>{dayTime(created_at)}</Fact>}
        </Facts>
        {device.note && (
          <p className="mt-2 border-t border-line pt-2 text-sm wrap-anywhere whitespace-pre-wrap">
            <span className="sr-only">{words.note}: </span>
            {device.note}
          </p>
        )}
      </Box>
      <Box title={words.messages}>
        <Counts uid={uid} />
        <ul className="mt-2 border-t border-line pt-2 flex flex-col gap-1 [&_a]:inline-flex [&_a]:min-h-6 [&_a]:items-center [&_a]:text-link [&_a]:underline max-md:[&_a]:min-h-11">
          <li>
            <Link to="/logs" search={{ device_uid: uid }}>
              {words.allMessages}
            </Link>
          </li>
          <li>
            <Link to="/logs" search={{ device_uid: uid, state: 'queued' }}>
              {words.waiting}
            </Link>
          </li>
          <li>
            <Link to="/logs" search={{ device_uid: uid, state: 'failed' }}>
              {words.failed}
            </Link>
          </li>
          <li>
            <Link to="/logs" search={{ device_uid: uid, state: 'uncertain' }}>
              {words.uncertain}
            </Link>
          </li>
          {audits && (
            <li>
              <Link to="/settings" search={{ tab: 'audit', subject: 'device', search: uid }}>
                {words.changes}
              </Link>
            </li>
          )}
        </ul>
      </Box>
    </div>
  )
}

function Facts({ children }: { children: ReactNode }) {
  return <dl className="grid gap-1">{children}</dl>
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-3">
      <dt className="text-muted">{label}</dt>
      <dd className="text-right wrap-anywhere tabular-nums">{children}</dd>
    </div>
  )
}
