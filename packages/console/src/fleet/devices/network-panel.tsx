import type { Mobile, NetworkSim, Wifi } from '@sdd/contract/fleet/devices.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CardSim, History, Signal, Wifi as WifiIcon } from 'lucide-react'
import type { ComponentType, ReactNode } from 'react'
import { text } from '#console/core/text.ts'
import { devices, networks as words } from './text.ts'
import { networksQuery } from './calls.ts'
import { type Device } from './devices.ts'
import { QuarantineNotice } from './quarantine.tsx'
import { strengthUnit } from './signal.ts'
import { Ago } from '#console/ui/ago.tsx'
import { CopyButton } from '#console/ui/copy-button.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { dayTime } from '#console/ui/time.ts'

const SECTION =
  'max-w-[420px] min-w-0 flex-[1_1_222px] px-3.5 pt-3 pb-3.5 [box-shadow:-1px_-1px_0_var(--color-line)] nth-2:basis-[170px] max-md:max-w-none max-md:basis-full'

/** Shows the last messages sent through a device. */
export type RecentMessagesComponent = ComponentType<{ uid: string }>

/** The device's last reported networks, today's counts, and its last messages, side by side. */
export default function NetworkPanel({
  device,
  RecentMessages,
  toPage = false,
}: {
  device: Device
  RecentMessages: RecentMessagesComponent
  /** Links to the device's own page. */
  toPage?: boolean
}) {
  const { data, isError, refetch } = useQuery(networksQuery(device.uid))
  return (
    <section aria-label={devices.networks(device.uid)} className="bg-sunken">
      {isError && (
        <div className="p-3">
          <Notice tone="bad" retry={{ label: text.retry, run: () => void refetch() }}>
            {words.loadFailed}
          </Notice>
        </div>
      )}
      {device.quarantined_until && <QuarantineNotice device={device} />}
      {device.inbox_slowed_at && (
        <div className="p-3">
          <Notice tone="warn">
            <b className="block font-semibold">{devices.inboxSlowed}</b>
            <span className="block font-normal">
              {devices.inboxSlowedMeans(dayTime(device.inbox_slowed_at))}
            </span>
          </Notice>
        </div>
      )}
      <div className="flex flex-wrap overflow-clip">
        {data && <WifiSection wifi={data.wifi} />}
        {data && <MobileSection mobile={data.mobile} />}
        {data?.mobile?.sims?.map((sim, n) => (
          <SimSection key={n} sim={sim} />
        ))}
        {!data && !isError && <Waiting />}
        <Section title={words.activity} icon={<History />}>
          <Day device={device} />
          <RecentMessages uid={device.uid} />
          {toPage && (
            <Link
              to="/devices/$uid"
              params={{ uid: device.uid }}
              className="mt-2 inline-block text-sm text-link underline underline-offset-2 max-md:py-3"
            >
              {words.toPage}
            </Link>
          )}
        </Section>
      </div>
    </section>
  )
}

function WifiSection({ wifi }: { wifi: Wifi | null | undefined }) {
  return (
    <Section title={words.wifi} icon={<WifiIcon />}>
      {wifi ? (
        <Facts>
          <Fact label={words.ssid} value={wifi.ssid} />
          <Fact label={words.intensity} value={wifi.intensity} unit={strengthUnit(wifi.intensity)} />
          <Fact label={words.band} value={wifi.band} />
          <Fact label={words.frequency} value={wifi.frequency} unit="MHz" />
          <Fact label={words.link_speed} value={wifi.link_speed} unit="Mbps" />
          <Fact label={words.bssid} value={wifi.bssid} />
          <Fact label={words.ip_address} value={wifi.ip_address} copies />
          <Captured at={wifi.captured_at} />
        </Facts>
      ) : (
        <p className="text-muted">{words.noWifi}</p>
      )}
    </Section>
  )
}

function MobileSection({ mobile }: { mobile: Mobile | null | undefined }) {
  return (
    <Section title={words.mobile} icon={<Signal />}>
      {mobile ? (
        <Facts>
          <Fact label={words.intensity} value={mobile.intensity} unit={strengthUnit(mobile.intensity)} />
          <Captured at={mobile.captured_at} />
        </Facts>
      ) : (
        <p className="text-muted">{words.noMobile}</p>
      )}
    </Section>
  )
}

function SimSection({ sim }: { sim: NetworkSim }) {
  return (
    <Section title={`${words.sim} ${sim.slot ?? ''}`} icon={<CardSim />}>
      <Facts>
        <Fact label={words.id} value={sim.id} />
        <Fact label={words.slot} value={sim.slot} />
        <Fact label={words.carrier} value={sim.carrier} />
        <Fact label={words.operator_name} value={sim.operator_name} />
        <Fact label={words.phone_number} value={sim.phone_number} copies />
        <Fact label={words.iccid} value={sim.iccid} copies />
        <Fact label={words.roaming} value={yesNo(sim.roaming)} />
        <Fact label={words.network_type_label} value={sim.network_type_label} />
      </Facts>
    </Section>
  )
}

/** The device's other facts from the contract. A fact that the server does not send is left out. */
function Day({ device }: { device: Device }) {
  const { sent_today, max_sms_dayly, queued, agent, radio, last_seen_at } = device
  return (
    <Facts className="mb-2.5">
      <Fact label={devices.columns.uid} value={device.uid} copies />
      {sent_today !== undefined && (
        <Fact label={words.sent_today} value={`${sent_today} / ${max_sms_dayly ?? text.none}`} />
      )}
      {queued !== undefined && <Fact label={words.queued} value={queued} />}
      {agent && <Fact label={words.agent} value={agent} />}
      {radio && <Fact label={words.radio} value={devices.radioSays(radio.says)} />}
      {last_seen_at && (
        <Entry label={words.last_seen_at}>
          <Ago at={last_seen_at} />
        </Entry>
      )}
    </Facts>
  )
}

function Section({ title, icon, children }: { title: string; icon: ReactNode; children: ReactNode }) {
  return (
    <section className={SECTION}>
      <h2 className="mb-2 flex items-center gap-[7px] text-sm font-semibold [&>svg]:size-4">
        {icon}
        {title}
      </h2>
      {children}
    </section>
  )
}

function Facts({ className = '', children }: { className?: string; children: ReactNode }) {
  return <dl className={`grid gap-[3px] text-sm ${className}`}>{children}</dl>
}

function Entry({ label, look = '', children }: { label: string; look?: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-2">
      <dt className="whitespace-nowrap text-muted">{label}</dt>
      <dd className={`text-right text-xs wrap-anywhere ${look}`}>{children}</dd>
    </div>
  )
}

function Waiting() {
  return (
    <section aria-busy="true" className={SECTION}>
      {[0, 1, 2].map((line) => (
        <span key={line} className="my-2 block h-3 rounded-[3px] bg-line" />
      ))}
    </section>
  )
}

function Captured({ at }: { at: string | null | undefined }) {
  if (!at) return <Fact label={words.captured_at} value={at} />
  return (
    <Entry label={words.captured_at}>
      <Ago at={at} />
    </Entry>
  )
}

function Fact({
  label,
  value,
  unit,
  copies = false,
}: {
  label: string
  value: string | number | null | undefined
  /** For a bare number; text includes its own unit. */
  unit?: string | undefined
  copies?: boolean
}) {
  const shown = value === null || value === undefined || value === '' ? text.none : String(value)
  return (
    <Entry label={label} look="font-mono">
      <span>{shown}</span>
      {unit && typeof value === 'number' && <span className="text-muted"> {unit}</span>}
      {copies && shown !== text.none && <CopyButton what={label} value={shown} />}
    </Entry>
  )
}

function yesNo(value: boolean | null | undefined): string | undefined {
  if (value === null || value === undefined) return undefined
  return value ? text.yes : text.no
}
