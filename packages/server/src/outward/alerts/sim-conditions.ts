import type { AlertCondition } from '@sdd/contract/outward/alerts.ts'
import { type Clock, DAY_MS, instant } from '#server/core/clock.ts'
import { usedOfPlan } from '#server/fleet/sims/plans.ts'
import type { AlertFacts } from './details.ts'
import type { AlertSim } from './subjects.store.ts'

type Check = (sim: AlertSim, value: number, clock: Clock) => AlertFacts | undefined

/** The facts if the condition holds for the SIM. */
export const simChecks: Partial<Record<AlertCondition, Check>> = {
  plan_used(sim, percent, clock) {
    if (sim.renews_on_day === null) return undefined
    const { parts, recipients } = usedOfPlan(sim, instant(clock.now()))
    const uses = [
      { of: 'parts', used: parts, limit: sim.parts_per_month },
      { of: 'recipients', used: recipients, limit: sim.recipients_per_month },
    ]
    return uses.find(({ used, limit }) => limit !== null && used * 100 >= limit * percent)
  },
  sim_expires({ valid_until }, days, clock) {
    if (valid_until === null) return undefined
    const last = instant(Date.parse(clock.day(clock.now())) + days * DAY_MS).slice(0, 10)
    return valid_until <= last ? { valid_until } : undefined
  },
  balance_low({ balance_amount, balance_currency: currency, credit_gone_at }, least) {
    const amount = credit_gone_at === null ? balance_amount : 0
    return amount !== null && amount < least ? { amount, currency } : undefined
  },
}
