import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import type { ComponentType, ReactNode } from 'react'
import { AccountSearch } from '#console/accounts/account/search.ts'
import { LoginScreen } from '#console/accounts/auth/login-screen.tsx'
import { readDuty } from '#console/core/duty.ts'
import { useLanguage, withTexts } from '#console/core/language.ts'
import { parseSearch, ShellSearch, stringifySearch } from '#console/core/search.ts'
import { readSession } from '#console/core/session.ts'
import { DevicePageSearch, DeviceSearch } from '#console/fleet/devices/search.ts'
import { SendSearch } from '#console/messages/messages/search.ts'
import { ConversationSearch } from '#console/people/conversations/search.ts'
import { DashboardSearch } from '#console/insight/dashboard/search.ts'
import { LogSearch } from '#console/insight/log/search.ts'
import { SettingsSearch } from '#console/app/settings/search.ts'
import { RouteFault } from '#console/app/shell/route-fault.tsx'
import { CampaignSearch, CampaignsSearch } from '#console/people/campaigns/search.ts'
import { NewCampaignSearch } from '#console/people/campaigns/new/search.ts'
import { ContactSearch } from '#console/people/contacts/search.ts'
import { RoutesSearch } from '#console/fleet/routes/search.ts'
import { TaskSearch } from '#console/tasks/search.ts'
import { UserSearch } from '#console/accounts/users/search.ts'

/**
 * A screen in its own chunk. If its file is missing, as after a new version, the router reloads the page. Offline, a
 * reload would lose the page, so the screen shows an error.
 */
function lazyScreen<Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) {
  return lazyRouteComponent(async () => {
    const module = await withTexts(load).catch((cause: unknown) => {
      throw navigator.onLine ? cause : new Error('There is no network', { cause })
    })
    return { default: inLanguage(module[name]) }
  })
}

/** Draws a screen, and all that it contains, again when the language changes. It keeps its state. */
function inLanguage(Screen: ComponentType): () => ReactNode {
  return function InLanguage() {
    useLanguage()
    return <Screen />
  }
}

const root = createRootRoute({ component: Outlet })

const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  validateSearch: ShellSearch,
  beforeLoad: () => {
    if (!readSession()) redirect({ to: '/login', replace: true, throw: true })
  },
  component: lazyScreen(() => import('#console/app/shell/shell.tsx'), 'Shell'),
})

const Login = inLanguage(LoginScreen)
const home = createRoute({ getParentRoute: () => root, path: '/', component: Login })
const login = createRoute({ getParentRoute: () => root, path: '/login', component: Login })

/** The screen for duties. If the browser does not know of any, the shell's first call reveals them. */
const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  beforeLoad: () => {
    if (!readSession()) redirect({ to: '/login', replace: true, throw: true })
    if (!readDuty()) redirect({ to: '/devices', replace: true, throw: true })
  },
  component: lazyScreen(() => import('#console/accounts/account/duty-screen.tsx'), 'DutyScreen'),
})

const unknown = createRoute({
  getParentRoute: () => root,
  path: '$',
  beforeLoad: ({ location }) => {
    redirect({ to: location.pathname.startsWith('/login/') ? '/login' : '/', replace: true, throw: true })
  },
})

const account = createRoute({
  getParentRoute: () => shell,
  path: '/account',
  validateSearch: AccountSearch,
  component: lazyScreen(() => import('#console/accounts/account/account-screen.tsx'), 'AccountScreen'),
})

const dashboard = createRoute({
  getParentRoute: () => shell,
  path: '/dashboard',
  validateSearch: DashboardSearch,
  component: lazyScreen(() => import('#console/insight/dashboard/dashboard-screen.tsx'), 'DashboardScreen'),
})

const devices = createRoute({
  getParentRoute: () => shell,
  path: '/devices',
  validateSearch: DeviceSearch,
  component: lazyScreen(() => import('./devices-page.tsx'), 'DevicesPage'),
})

const device = createRoute({
  getParentRoute: () => shell,
  path: '/devices/$uid',
  validateSearch: DevicePageSearch,
  component: lazyScreen(() => import('./device-page.tsx'), 'DevicePage'),
})

const sms = createRoute({
  getParentRoute: () => shell,
  path: '/sms',
  validateSearch: SendSearch,
  async beforeLoad({ search, preload }) {
    const { alerts: _, ...given } = search
    if (preload || Object.values(given).every((value) => value === undefined)) return
    const { fillDraft } = await import('#console/messages/messages/draft.ts')
    fillDraft(search)
    redirect({ to: '/sms', replace: true, state: { filled: Date.now() }, throw: true })
  },
  component: lazyScreen(() => import('./sms-page.tsx'), 'SmsPage'),
})

const conversations = createRoute({
  getParentRoute: () => shell,
  path: '/conversations',
  validateSearch: ConversationSearch,
  component: lazyScreen(
    () => import('#console/people/conversations/conversations-screen.tsx'),
    'ConversationsScreen',
  ),
})

const companyRoutes = createRoute({
  getParentRoute: () => shell,
  path: '/routes',
  validateSearch: RoutesSearch,
  component: lazyScreen(() => import('#console/fleet/routes/routes-screen.tsx'), 'RoutesScreen'),
})

const logs = createRoute({
  getParentRoute: () => shell,
  path: '/logs',
  validateSearch: LogSearch,
  component: lazyScreen(() => import('#console/insight/log/logs-screen.tsx'), 'LogsScreen'),
})

const contacts = createRoute({
  getParentRoute: () => shell,
  path: '/contacts',
  validateSearch: ContactSearch,
  component: lazyScreen(() => import('#console/people/contacts/contacts-screen.tsx'), 'ContactsScreen'),
})

const contactImport = createRoute({
  getParentRoute: () => shell,
  path: '/contacts/import',
  component: lazyScreen(() => import('#console/people/contacts/import-screen.tsx'), 'ImportScreen'),
})

const campaigns = createRoute({
  getParentRoute: () => shell,
  path: '/campaigns',
  validateSearch: CampaignsSearch,
  component: lazyScreen(() => import('#console/people/campaigns/campaigns-screen.tsx'), 'CampaignsScreen'),
})

const campaign = createRoute({
  getParentRoute: () => shell,
  path: '/campaigns/$id',
  validateSearch: CampaignSearch,
  component: lazyScreen(() => import('#console/people/campaigns/campaign-screen.tsx'), 'CampaignScreen'),
})

const newCampaign = createRoute({
  getParentRoute: () => shell,
  path: '/campaigns/new',
  validateSearch: NewCampaignSearch,
  component: lazyScreen(
    () => import('#console/people/campaigns/new/new-campaign-screen.tsx'),
    'NewCampaignScreen',
  ),
})

const users = createRoute({
  getParentRoute: () => shell,
  path: '/users',
  validateSearch: UserSearch,
  component: lazyScreen(() => import('./users-page.tsx'), 'UsersPage'),
})

const tasks = createRoute({
  getParentRoute: () => shell,
  path: '/running-tasks',
  validateSearch: TaskSearch,
  component: lazyScreen(() => import('./tasks-page.tsx'), 'TasksPage'),
})

const settings = createRoute({
  getParentRoute: () => shell,
  path: '/settings',
  validateSearch: SettingsSearch,
  component: lazyScreen(() => import('#console/app/settings/settings-screen.tsx'), 'SettingsScreen'),
})

export function openRouter() {
  return createRouter({
    routeTree: root.addChildren([
      home,
      login,
      setup,
      unknown,
      shell.addChildren([
        dashboard,
        conversations,
        devices,
        device,
        sms,
        contacts,
        contactImport,
        campaigns,
        campaign,
        newCampaign,
        logs,
        users,
        tasks,
        companyRoutes,
        settings,
        account,
      ]),
    ]),
    defaultErrorComponent: RouteFault,
    defaultPreload: 'intent',
    parseSearch,
    stringifySearch,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof openRouter>
  }
  interface HistoryState {
    expired?: boolean
    /** When an address filled the send form. */
    filled?: number
    /** The person wants to write in the conversation that opens. */
    writes?: boolean
  }
}
