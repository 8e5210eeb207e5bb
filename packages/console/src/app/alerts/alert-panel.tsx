import type { Alert } from '@sdd/contract/outward/alerts.ts'
import { holds } from '@sdd/contract/core/roles.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef, useState, type KeyboardEvent } from 'react'
import { AlertItem } from './alert-item.tsx'
import { groupAlerts, keepInPlace } from './groups.ts'
import { useJoining, useOpenCount } from './open-groups.ts'
import { ResolvedAlerts } from './resolved-alerts.tsx'
import { openAlerts as words } from './text.ts'
import { faultText } from '#console/core/api.ts'
import { text } from '#console/core/text.ts'
import { useRole } from '#console/core/use-role.ts'
import { acknowledge, openAlertsQuery, rulesQuery, useReloadAlerts } from '#console/outward/alerts/calls.ts'
import { Button } from '#console/ui/button.tsx'
import { CloseButton } from '#console/ui/close-button.tsx'
import { cornerLook } from '#console/ui/corner.ts'
import { Modal } from '#console/ui/dialog.tsx'
import { shortcutsOn } from '#console/ui/keys.ts'
import { Notice } from '#console/ui/notice.tsx'
import { formatCount } from '#console/ui/numbers.ts'
import { Skeleton } from '#console/ui/skeleton.tsx'

/** The open alerts and the resolved ones. An alert that changes while the list is shown keeps its place. */
export default function AlertPanel({ onClose }: { onClose: () => void }) {
  const { data, dataUpdatedAt, isError, refetch } = useQuery(openAlertsQuery)
  const manages = holds(useRole(), 'alerts:manage')
  const { data: rules } = useQuery({ ...rulesQuery, enabled: manages })
  const shown = useShown(data, dataUpdatedAt)
  const groups = groupAlerts(shown, useJoining(shown))
  const opened = groups.filter(({ alerts }) => alerts.some(isOpen)).length
  const unnoticed = shown.filter(isUnnoticed)
  const list = useRef<HTMLUListElement>(null)
  const reload = useReloadAlerts()
  const noticing = useMutation({
    mutationFn: (alerts: readonly Alert[]) => Promise.all(alerts.map(({ id }) => acknowledge(id))),
    onSettled: reload,
  })
  const pending = new Set(noticing.isPending ? noticing.variables.map(({ id }) => id) : [])

  function notice(alerts: readonly Alert[], row: number): void {
    const due = alerts.filter(isUnnoticed)
    if (due.length === 0 || noticing.isPending) return
    // Before its button goes, and the focus with it.
    focusRow(row)
    noticing.mutate(due)
  }

  function rows(): HTMLElement[] {
    return [...(list.current?.querySelectorAll<HTMLElement>(':scope > li') ?? [])]
  }

  function focusRow(index: number): void {
    const row = rows()[index]
    const opens = row?.querySelector<HTMLElement>('[data-opens]') ?? row
    opens?.focus()
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (!shortcutsOn() || event.ctrlKey || event.metaKey || event.altKey) return
    const at = rows().findIndex((row) => row.contains(document.activeElement))
    if (event.key === 'j') focusRow(Math.min(at + 1, groups.length - 1))
    else if (event.key === 'k') focusRow(Math.max(at - 1, 0))
    else if (event.key === 'e' && at >= 0) notice(groups[at]!.alerts, at)
    else return
    event.preventDefault()
  }

  return (
    <Modal title={words.title} corner={cornerLook} hiddenTitle onClose={onClose}>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions */}
      <div className="flex min-h-0 flex-col" onKeyDown={onKeyDown}>
        <div className="flex min-h-[52px] items-center gap-3 border-b border-line py-1 pr-14 pl-4">
          {/* First, as the first button gets the focus: Enter must not acknowledge everything. */}
          <CloseButton label={text.close} onClose={onClose} />
          <span aria-hidden="true" className="font-bold">
            {words.title}
          </span>
          <output className="text-sm text-muted">{opened > 0 && words.open(formatCount(opened))}</output>
          {unnoticed.length > 1 && (
            <Button
              tone="ghost"
              size="sm"
              needsServer
              className="ml-auto text-link! underline"
              disabled={noticing.isPending}
              onClick={() => notice(unnoticed, 0)}
            >
              {words.acknowledgeAll}
            </Button>
          )}
        </div>
        <div className="min-h-0 overflow-y-auto">
          {isError && (
            <Notice tone="bad" className="m-3" retry={{ label: text.retry, run: () => void refetch() }}>
              {words.failedLoad} {data && text.kept}
            </Notice>
          )}
          {noticing.error && (
            <Notice tone="bad" className="m-3">
              {faultText(noticing.error, words.acknowledgeFailed)}
            </Notice>
          )}
          {!data && !isError && <Skeleton kind="list" />}
          {groups.length > 0 && (
            <ul ref={list} aria-label={words.title}>
              {groups.map((group, n) => (
                <AlertItem
                  key={group.key}
                  group={group}
                  manages={manages}
                  pending={group.alerts.some(({ id }) => pending.has(id))}
                  asks={n < MOST_ASKED}
                  onNotice={() => notice(group.alerts, n)}
                />
              ))}
            </ul>
          )}
          <ResolvedAlerts
            above={shown}
            noneOpen={data !== undefined && groups.length === 0}
            unwatched={rules?.length === 0}
          />
        </div>
        {manages && (
          <p className="flex justify-end border-t border-line px-4 py-2">
            <Link
              to="/settings"
              search={{ tab: 'alerts' }}
              className="inline-flex min-h-7 items-center text-link underline max-md:min-h-11"
            >
              {words.rules}
            </Link>
          </p>
        )}
      </div>
    </Modal>
  )
}

/** So many of the first alerts count the messages that wait for their device. */
const MOST_ASKED = 10

function isOpen({ resolved_at }: Alert): boolean {
  return resolved_at === null
}

function isUnnoticed(alert: Alert): boolean {
  return isOpen(alert) && alert.acknowledged_at === null
}

function useShown(open: readonly Alert[] | undefined, loadedAt: number): readonly Alert[] {
  const { more } = useOpenCount()
  const [shown, setShown] = useState<{ from: typeof open; alerts: readonly Alert[] }>({
    from: undefined,
    alerts: [],
  })
  if (!open || open === shown.from) return shown.alerts
  const alerts = keepInPlace(shown.alerts, open, { full: more, now: new Date(loadedAt).toISOString() })
  setShown({ from: open, alerts })
  return alerts
}
