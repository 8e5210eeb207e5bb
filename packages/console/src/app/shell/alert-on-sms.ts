import { QueryObserver, type QueryClient } from '@tanstack/react-query'
import { unreadQuery, type Unread } from '#console/people/conversations/conversations.ts'
import { alertsOn, notify, whenAlertsChanged } from './alert-choice.ts'
import { alerts as words } from './alert-text.ts'

/** Shows a notification of the system, if the user asked for it, when an SMS is received while the window is hidden. */
export function alertOnSms(client: QueryClient): () => void {
  let stop: (() => void) | undefined
  let known: Unread | undefined

  function tell(unread: Unread): void {
    const { newest } = unread
    const isNew = known !== undefined && newest && newest.last_at > (known.newest?.last_at ?? '')
    const more = unread.count - (known?.count ?? 0)
    known = unread
    if (!isNew || newest.last_direction !== 'in' || document.visibilityState !== 'hidden') return
    const { name, number, company_id, last_text } = newest
    const several = more > 1
    void notify('sms', {
      title: several ? words.smsSeveral(more) : words.smsFrom(name ?? number),
      body: several ? '' : last_text,
      url: several
        ? '/conversations'
        : `/conversations?${new URLSearchParams({ open: number, company: String(company_id) }).toString()}`,
    })
  }

  function follow(): void {
    if (!alertsOn('sms')) {
      stop?.()
      stop = undefined
      known = undefined
    } else if (!stop) {
      const observer = new QueryObserver(client, unreadQuery)
      known = observer.getCurrentResult().data
      stop = observer.subscribe(({ data }) => {
        if (data && data !== known) tell(data)
      })
    }
  }

  follow()
  const unfollow = whenAlertsChanged(follow)
  return () => {
    unfollow()
    stop?.()
  }
}
