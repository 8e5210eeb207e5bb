import { Tabs } from '@base-ui/react/tabs'
import { holds } from '@sdd/contract/roles.ts'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback } from 'react'
import { settings as words } from '#console/core/text/settings.ts'
import { useRole } from '#console/core/use-role.ts'
import { DeviceTab } from '#console/settings/device-tab.tsx'
import { GlobalTab } from '#console/settings/global-tab.tsx'
import type { SettingsSearch } from '#console/settings/search.ts'
import { Page } from '#console/ui/page.tsx'
import '#console/settings/settings.css'

const route = getRouteApi('/shell/settings')

export function SettingsScreen() {
  const { tab = 'global', company, search, edit } = route.useSearch()
  const navigate = route.useNavigate()
  const writes = holds(useRole(), 'settings:write')
  const change = useCallback(
    (next: Partial<SettingsSearch>) =>
      void navigate({ search: (now) => ({ ...now, ...next }), replace: true }),
    [navigate],
  )
  return (
    <Page title={words.title}>
      <Tabs.Root
        value={tab}
        onValueChange={(next) => change({ tab: next === 'devices' ? 'devices' : undefined })}
        className="flex min-h-0 flex-1 flex-col"
      >
        <Tabs.List className="tabs" activateOnFocus>
          <Tabs.Tab value="global">{words.global}</Tabs.Tab>
          <Tabs.Tab value="devices">{words.device}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="global" tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto">
          <div className="px-6 pt-4 pb-6 max-md:px-3">
            {!writes && <p className="mb-3 text-muted">{words.readOnly}</p>}
            <GlobalTab writes={writes} company={company} onCompany={(id) => change({ company: id })} />
          </div>
        </Tabs.Panel>
        <Tabs.Panel
          value="devices"
          tabIndex={-1}
          className="flex min-h-0 flex-1 flex-col gap-3 px-6 pt-4 pb-6 max-md:px-3 max-md:pb-3"
        >
          <DeviceTab writes={writes} search={search} edit={edit} onChange={change} />
        </Tabs.Panel>
      </Tabs.Root>
    </Page>
  )
}
