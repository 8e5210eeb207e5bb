import type { Ability, Order } from '@sdd/contract/fleet/orders.ts'
import { text } from '#console/core/text.ts'
import { useRole } from '#console/core/use-role.ts'
import { holds } from '@sdd/contract/core/roles.ts'
import { findingsOf, type Finding } from './findings.ts'
import { OrderAnswer, OrderState } from './order-answer.tsx'
import { isPending, useAsk, useOrders, whyNot } from './orders.ts'
import { orders as words } from './text.ts'
import type { Device } from '#console/fleet/devices/devices.ts'
import { Ago } from '#console/ui/ago.tsx'
import { Box } from '#console/ui/box.tsx'
import { Button } from '#console/ui/button.tsx'
import { MarkIcon, type Mark } from '#console/ui/marks.tsx'
import { Notice } from '#console/ui/notice.tsx'
import { dayTime, shortTime } from '#console/ui/time.ts'

/** The findings of the doctor, and the orders of the last 30 days. */
export default function OrdersBoxes({
  device,
  abilities,
}: {
  device: Device
  abilities: readonly Ability[]
}) {
  const { orders = [], data, isError, refetch, hasNextPage, fetchNextPage } = useOrders(device.uid)
  if (abilities.length === 0 && orders.length === 0 && !isError) return null
  return (
    <div className="grid shrink-0 grid-cols-2 items-start gap-3 max-lg:grid-cols-1">
      <DoctorBox device={device} abilities={abilities} orders={orders} />
      <Box title={words.title}>
        {isError && (
          <Notice tone="bad" retry={{ label: text.retry, run: () => void refetch() }}>
            {words.loadFailed} {data && text.kept}
          </Notice>
        )}
        {data && orders.length === 0 && <p className="text-muted">{words.none}</p>}
        <ul className="[&>li+li]:border-t [&>li+li]:border-line">
          {orders.map((order) => (
            <PastOrder key={order.id} order={order} />
          ))}
        </ul>
        {hasNextPage && (
          <Button tone="ghost" className="mt-1 self-start underline" onClick={() => void fetchNextPage()}>
            {words.more}
          </Button>
        )}
      </Box>
    </div>
  )
}

/** The last findings stay until there are new ones. */
function DoctorBox({
  device,
  abilities,
  orders,
}: {
  device: Device
  abilities: readonly Ability[]
  orders: readonly Order[]
}) {
  const manages = holds(useRole(), 'devices:manage')
  const { mutate, isPending: asking } = useAsk(device.uid)
  const doctor = orders.filter(({ what }) => what === 'doctor')
  const [latest] = doctor
  const found = doctor.find(({ ok, output }) => ok && output !== null)
  const runs = asking || (latest !== undefined && isPending(latest))
  const reason = whyNot(device, abilities, 'doctor')
  return (
    <Box
      title={words.what.doctor}
      beside={
        <span className="inline-flex items-baseline gap-2">
          {found?.answered_at && <Ago at={found.answered_at} />}
          {manages && (
            <Button
              size="sm"
              needsServer
              disabled={reason !== undefined || runs}
              title={reason}
              onClick={() => mutate({ what: 'doctor' })}
            >
              {found ? words.repeat : words.run}
            </Button>
          )}
        </span>
      }
    >
      {runs ? (
        <p className="text-muted">{words.given}</p>
      ) : (
        latest && latest !== found && <OrderAnswer order={latest} />
      )}
      {found && <Findings findings={findingsOf(found.output ?? '')} />}
      {!latest && !runs && <p className="text-muted">{words.never}</p>}
    </Box>
  )
}

const marks: Record<Finding['level'], { mark: Mark; color: string }> = {
  bad: { mark: 'cross', color: 'text-bad' },
  note: { mark: 'triangle', color: 'text-warn' },
  good: { mark: 'check', color: 'text-ok' },
}

function Findings({ findings }: { findings: readonly Finding[] }) {
  return (
    // The words of the device, in whatever language it speaks.
    <ul lang="" className="flex flex-col gap-1.5">
      {findings.map(({ level, says, remedy }, n) => (
        <li key={n} className="flex gap-2">
          <span className={`pt-0.5 ${marks[level].color}`}>
            <MarkIcon mark={marks[level].mark} label={words.levels[level]} className="size-[13px]" />
          </span>
          <span className="min-w-0 wrap-anywhere">
            <span className={level === 'good' ? '' : 'font-semibold'}>{says}</span>
            {remedy && <span className="block text-sm text-muted">{remedy}</span>}
          </span>
        </li>
      ))}
    </ul>
  )
}

function PastOrder({ order }: { order: Order }) {
  const { what, with: details, by, at } = order
  const code = details?.['code']
  return (
    <li className="py-1.5 text-sm">
      <details>
        <summary className="flex min-h-6 cursor-pointer flex-wrap items-baseline gap-x-3 max-md:min-h-11 max-md:items-center">
          <time dateTime={at} title={dayTime(at)} className="mono text-muted">
            {shortTime(at)}
          </time>
          <span className="font-medium">{words.what[what]}</span>
          {typeof code === 'string' && <span className="mono">{code}</span>}
          <OrderState order={order} />
          <span className="ml-auto text-muted">{by}</span>
        </summary>
        <OrderAnswer order={order} />
      </details>
    </li>
  )
}
