import type { Order } from '@sdd/contract/fleet/orders.ts'
import { orders as words } from './text.ts'
import { MarkIcon, type Mark } from '#console/ui/marks.tsx'

const looks = {
  given: { mark: 'arc', color: 'text-info' },
  expired: { mark: 'clock', color: 'text-warn' },
  answered: { mark: 'check', color: 'text-ok' },
  refused: { mark: 'cross', color: 'text-bad' },
} satisfies Record<string, { mark: Mark; color: string }>

function lookOf({ state, ok }: Order): keyof typeof looks {
  return state === 'answered' && ok === false ? 'refused' : state
}

export function OrderState({ order }: { order: Order }) {
  const look = lookOf(order)
  return (
    <span className={`inline-flex items-center gap-1.5 font-medium ${looks[look].color}`}>
      <MarkIcon mark={looks[look].mark} className="size-[13px]" />
      {words[look]}
    </span>
  )
}

/** The answer of the device in its own words, or why there is none. */
export function OrderAnswer({ order }: { order: Order }) {
  const { state, output, code, detail } = order
  if (state !== 'answered') return <p className="text-muted">{words[state]}</p>
  const said = output ?? detail
  return (
    <>
      {order.ok === false && (
        <p className="text-bad">
          {words.refused} {code && <code className="mono text-xs">{code}</code>}
        </p>
      )}
      {said ? (
        <pre
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- allows scrolling by keyboard
          tabIndex={0}
          // The words of the device, in whatever language it speaks.
          lang=""
          className="mt-1 max-h-80 overflow-auto rounded-sm bg-sunken px-3 py-2 font-mono text-sm wrap-anywhere whitespace-pre-wrap"
        >
          {said}
        </pre>
      ) : (
        <p className="text-muted">{output === null && order.ok ? words.secret : words.noOutput}</p>
      )}
    </>
  )
}
