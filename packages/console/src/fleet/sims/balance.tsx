import type { Ability } from '@sdd/contract/fleet/orders.ts'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { faultText } from '#console/core/api.ts'
import { formats } from '#console/core/formats.ts'
import { askForBalance, type KnownSim } from './sims.ts'
import { sims as words } from './text.ts'
import type { Device } from '#console/fleet/devices/devices.ts'
import { useOrders, whyNot } from '#console/fleet/orders/orders.ts'
import { Button } from '#console/ui/button.tsx'
import { shortTime } from '#console/ui/time.ts'

/** An answer that is not there by then is not waited for any more. */
const PATIENCE_MS = 30_000

/** The balance of a SIM, and the button that asks for it. */
export function Balance({
  sim,
  low,
  device,
  abilities,
  manages,
  onChanged,
}: {
  sim: KnownSim
  low: boolean
  device: Device
  abilities: readonly Ability[]
  manages: boolean
  onChanged: () => Promise<unknown>
}) {
  const { balance, balance_query: query } = sim
  const { asking, said, ask } = useAsking(sim, device.uid, onChanged)
  const reason = whyNot(device, abilities, 'ussd')
  if (query === null && balance === null) return null
  return (
    <>
      <div className="mt-1 flex items-baseline justify-between gap-3">
        <span className="text-muted">{words.balance}</span>
        <span className="flex flex-wrap items-baseline justify-end gap-x-2 text-right tabular-nums">
          {balance ? (
            <>
              <span className={`font-semibold ${low ? 'text-warn' : ''}`}>
                {words.money(balance.amount.toFixed(2).replace('.', formats.decimal), balance.currency)}
              </span>
              <time dateTime={balance.asked_at} className="text-muted">
                {shortTime(balance.asked_at)}
              </time>
            </>
          ) : (
            <span className="text-muted">{words.noBalance}</span>
          )}
          {manages && query && (
            <Button
              size="sm"
              needsServer
              disabled={asking || reason !== undefined}
              title={reason}
              onClick={ask}
            >
              {asking ? words.asking : words.ask}
            </Button>
          )}
        </span>
      </div>
      <p aria-live="polite" className="text-sm wrap-anywhere text-bad empty:hidden">
        {said}
      </p>
    </>
  )
}

function useAsking(sim: KnownSim, uid: string, onChanged: () => Promise<unknown>) {
  const [given, setGiven] = useState<number>()
  const [late, setLate] = useState(false)
  /** Of the answered order. */
  const [shown, setShown] = useState<number>()
  const { orders, refetch } = useOrders(uid)
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => askForBalance(sim),
    onSuccess(order) {
      setGiven(order)
      void refetch()
    },
  })
  const order = given === undefined ? undefined : orders?.find(({ id }) => id === given)
  const answered = order !== undefined && order.state !== 'given'
  useEffect(() => {
    if (given === undefined) return
    const timer = setTimeout(() => setLate(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [given])
  useEffect(() => {
    if (answered) void onChanged().finally(() => setShown(given))
    // oxlint-disable-next-line react/exhaustive-deps
  }, [answered, given])

  function said(): string | undefined {
    if (error) return faultText(error, words.askFailed)
    if (given === undefined) return undefined
    if (!answered || shown !== given) return late ? words.noAnswer : undefined
    if (order.state === 'expired') return words.noAnswer
    const fits = sim.balance !== null && sim.balance.asked_at >= order.at
    return fits ? undefined : words.doesNotFit(order.output ?? order.detail ?? order.code ?? '')
  }

  return {
    asking: isPending || (given !== undefined && shown !== given && !late),
    said: said(),
    ask() {
      setGiven(undefined)
      setLate(false)
      mutate()
    },
  }
}
