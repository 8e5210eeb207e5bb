import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useId } from 'react'
import ContactsTab from './contacts-tab.tsx'
import type { ContactSearch } from './search.ts'
import { contacts as words } from './text.ts'
import { lazyPart } from '#console/ui/lazy-part.tsx'
import { Page } from '#console/ui/page.tsx'
import { Skeleton } from '#console/ui/skeleton.tsx'
import { TabList } from '#console/ui/tabs.tsx'

const TemplatesTab = lazyPart(() => import('#console/people/templates/templates-tab.tsx'))

const route = getRouteApi('/shell/contacts')

/** The people to whom the company writes, and the texts it often writes. */
export function ContactsScreen() {
  const address = route.useSearch()
  const navigate = route.useNavigate()
  const panelId = useId()
  const { search, open } = address
  const tab = address.tab === 'templates' ? 'templates' : 'contacts'
  const change = (next: Partial<ContactSearch>) =>
    void navigate({ search: (now) => ({ ...now, ...next }), replace: next.open === undefined })
  // Searches and open rows do not carry over between tabs.
  const show = (next: 'contacts' | 'templates') =>
    void navigate({ search: { tab: next === 'contacts' ? undefined : next }, replace: true })

  return (
    <Page title={words.title}>
      <div className="flex min-h-0 flex-1 flex-col">
        <TabList
          tabs={[
            { tab: 'contacts', label: words.title },
            { tab: 'templates', label: words.templates },
          ]}
          shown={tab}
          onShow={show}
          panelId={panelId}
        />
        <div
          role="tabpanel"
          id={panelId}
          aria-labelledby={`${panelId}-${tab}`}
          tabIndex={-1}
          className="relative flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto px-6 pt-4 pb-6 max-md:px-3 max-md:pb-3"
        >
          <Suspense fallback={<Skeleton kind="list" />}>
            {tab === 'contacts' ? (
              <ContactsTab address={address} change={change} />
            ) : (
              <TemplatesTab search={search} open={open} onChange={change} />
            )}
          </Suspense>
        </div>
      </div>
    </Page>
  )
}
