import { holds } from '@sdd/contract/core/roles.ts'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useId } from 'react'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { ApiKeysTab } from '#console/accounts/api-keys/api-keys.ts'
import { AuditTab } from '#console/accounts/audit/audit.ts'
import { AlertsTab } from '#console/outward/alerts/alerts.ts'
import { CallbacksTab } from '#console/outward/callbacks/callbacks.ts'
import { text } from '#console/core/text.ts'
import { settings as words } from '#console/accounts/settings/text.ts'
import { useRole } from '#console/core/use-role.ts'
import { DestinationsTab } from '#console/messages/destinations/destinations.ts'
import { QuotasTab } from '#console/accounts/quotas/quotas.ts'
import { KeywordsTab } from '#console/messages/keywords/keywords.ts'
import { OptOutsTab } from '#console/messages/opt-outs/opt-outs.ts'
import type { SettingsSearch } from './search.ts'
import { tabsFor, type SettingsTab } from './tabs.ts'
import { Notice } from '#console/ui/notice.tsx'
import { Page } from '#console/ui/page.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { TabList } from '#console/ui/tabs.tsx'

const GlobalTab = lazyPart(() => import('./global-tab.tsx'))
const KeyDialogs = lazyPart(() => import('./key-dialogs.tsx'))
const DeviceTab = lazyPart(() => import('#console/fleet/limits/limits-tab.tsx'))

const route = getRouteApi('/shell/settings')

export function SettingsScreen() {
  const search = route.useSearch()
  const { tab = 'global' } = search
  const navigate = route.useNavigate()
  const role = useRole()
  const tabs = tabsFor(role)
  const panelId = useId()
  const change = (next: Partial<SettingsSearch>) =>
    void navigate({ search: (now) => ({ ...now, ...next }), replace: next.open === undefined })
  // Searches and open rows do not carry over between tabs.
  const show = (next: SettingsTab) =>
    void navigate({
      search: ({ company }) => ({ company, tab: next === 'global' ? undefined : next }),
      replace: true,
    })

  return (
    <Page title={words.title}>
      <div className="flex min-h-0 flex-1 flex-col">
        <TabList tabs={tabs} shown={tab} onShow={show} panelId={panelId} />
        {tabs.some((one) => one.tab === tab) ? (
          <div
            role="tabpanel"
            id={panelId}
            aria-labelledby={`${panelId}-${tab}`}
            tabIndex={-1}
            className={`relative min-h-0 flex-1 overflow-y-auto px-6 pt-4 pb-6 max-md:px-3 max-md:pb-3 ${tab === 'global' ? '' : 'flex flex-col gap-3'}`}
          >
            <Suspense fallback={<Skeleton kind="list" />}>
              <Shown
                address={search}
                writes={holds(role, 'settings:write')}
                setsQuotas={holds(role, 'quotas:write')}
                change={change}
              />
            </Suspense>
          </div>
        ) : (
          <div className="px-6 pt-4 max-md:px-3">
            <Notice tone="bad" retry={{ label: words.toGlobal, run: () => show('global') }}>
              {text.forbidden}
            </Notice>
          </div>
        )}
      </div>
    </Page>
  )
}

function Shown({
  address,
  writes,
  setsQuotas,
  change,
}: {
  address: SettingsSearch
  writes: boolean
  setsQuotas: boolean
  change: (next: Partial<SettingsSearch>) => void
}) {
  const { company, search, edit, sort, desc, open, state, subject, kind, from, to } = address
  switch (address.tab) {
    case undefined:
      return (
        <>
          {!writes && <p className="mb-3 text-muted">{words.readOnly}</p>}
          <GlobalTab writes={writes} company={company} onCompany={(next) => change({ company: next })} />
        </>
      )
    case 'devices':
      return <DeviceTab {...{ writes, search, edit, sort }} desc={desc === 'true'} onChange={change} />
    case 'api-keys':
      return <ApiKeysTab open={open} Dialogs={KeyDialogs} onChange={change} />
    case 'callbacks':
      return <CallbacksTab state={state} search={search} open={open} onChange={change} />
    case 'opt-outs':
      return <OptOutsTab search={search} open={open} onChange={change} />
    case 'keywords':
      return <KeywordsTab open={open} onChange={change} />
    case 'alerts':
      return <AlertsTab company={company} open={open} onChange={change} />
    case 'destinations':
      return <DestinationsTab company={company} onCompany={(next) => change({ company: next })} />
    case 'quotas':
      return (
        <QuotasTab writes={setsQuotas} company={company} onCompany={(next) => change({ company: next })} />
      )
    case 'audit':
      return <AuditTab {...{ subject, kind, search, from, to, open }} onChange={change} />
  }
}
