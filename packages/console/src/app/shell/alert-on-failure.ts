import type { Dashboard } from '@sdd/contract/insight/dashboard.ts'
import { readDashboard } from '@sdd/contract/insight/dashboard.ts'
import { callApi } from '#console/core/api.ts'
import type { Live } from '#console/core/live/live.ts'
import { throttled } from '#console/core/live/refresh.ts'
import { outcomes } from '#console/messages/outcomes/text.ts'
import { alertsOn, notify } from './alert-choice.ts'
import { alerts as words } from './alert-text.ts'
import { newFailures } from './new-failures.ts'

/** The shortest pause between two looks at the figures, in ms. */
const GAP_MS = 30_000

/**
 * Shows a notification of the system, if the user asked for it, when messages fail while the window is hidden. Live
 * events only say that the log changed, so the dashboard's counters tell whether a failure was among the changes.
 */
export function alertOnFailure(live: Pick<Live, 'onChanged'>): () => void {
  let known: Dashboard['failures'] | undefined
  let stopped = false
  const hidden = () => document.visibilityState === 'hidden' && alertsOn('message')

  const look = throttled(async () => {
    const { failures } = await callApi(readDashboard, { query: {} })
    const found = newFailures(known ?? failures, failures)
    known = failures
    const count = found.reduce((sum, { count }) => sum + count, 0)
    if (count === 0 || stopped || !hidden()) return
    const body = found.map(({ code, count }) => `${outcomes.cause(code)}: ${count}`).join('\n')
    void notify('message', {
      title: count === 1 ? words.failedOne : words.failedSeveral(count),
      body,
      url: '/logs?state=failed,uncertain,expired',
    })
  }, GAP_MS)

  /** What failed while the window was visible is no news. */
  async function turn(): Promise<void> {
    known = undefined
    if (!hidden()) return
    // Without an answer, the next look begins.
    const dashboard = await callApi(readDashboard, { query: {} }).catch(() => undefined)
    if (hidden() && !stopped) known = dashboard?.failures
  }

  const stop = live.onChanged((change) => {
    if (hidden() && (typeof change === 'string' || change.includes('logs'))) look()
  })
  const turned = () => void turn()
  document.addEventListener('visibilitychange', turned)
  turned()
  return () => {
    stopped = true
    stop()
    document.removeEventListener('visibilitychange', turned)
  }
}
