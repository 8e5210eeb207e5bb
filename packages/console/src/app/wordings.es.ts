import type { Wording } from './wordings.ts'
import { login } from '#console/accounts/auth/text.es.ts'
import { faults } from '#console/core/fault-text.es.ts'
import { formats } from '#console/core/formats.es.ts'
import { AS_SPECIFIED } from '#console/core/language.ts'
import { text } from '#console/core/text.es.ts'

const devices = () => import('#console/fleet/devices/text.es.ts')
const shell = () => import('#console/app/shell/text.es.ts')

/** The texts of the first screen, and how to load the others. */
export const wordings: Wording = {
  text,
  formats,
  faults,
  selecting: () => import('#console/ui/selection-text.es.ts'),
  savedViews: AS_SPECIFIED,
  exporting: () => import('#console/ui/csv-text.es.ts'),
  troubles: AS_SPECIFIED,
  rotation: AS_SPECIFIED,

  login,
  account: () => import('#console/accounts/account/text.es.ts'),
  duty: AS_SPECIFIED,
  proof: AS_SPECIFIED,
  apiKeys: () => import('#console/accounts/api-keys/text.es.ts'),
  audit: () => import('#console/accounts/audit/text.es.ts'),
  quotas: () => import('#console/accounts/quotas/text.es.ts'),
  globalSettings: () => import('#console/accounts/settings/global-text.es.ts'),
  settings: () => import('#console/accounts/settings/text.es.ts'),
  users: () => import('#console/accounts/users/text.es.ts'),

  devices,
  networks: devices,
  agents: AS_SPECIFIED,
  deviceBulk: AS_SPECIFIED,
  viewOptions: AS_SPECIFIED,
  sims: AS_SPECIFIED,
  orders: () => import('#console/fleet/orders/text.es.ts'),
  devicePage: AS_SPECIFIED,
  linking: () => import('#console/fleet/devices/linking-text.es.ts'),
  deviceSettings: () => import('#console/fleet/limits/text.es.ts'),

  destinations: () => import('#console/messages/destinations/text.es.ts'),
  optOuts: () => import('#console/messages/opt-outs/text.es.ts'),
  send: () => import('#console/messages/messages/text.es.ts'),
  sendSeveral: AS_SPECIFIED,
  outcomes: () => import('#console/messages/outcomes/text.es.ts'),
  record: () => import('#console/messages/record/text.es.ts'),
  waiting: () => import('#console/messages/waiting/text.es.ts'),

  tasks: () => import('#console/tasks/text.es.ts'),
  bulkDiscard: () => import('#console/tasks/bulk-text.es.ts'),

  conversations: () => import('#console/people/conversations/text.es.ts'),
  routes: () => import('#console/fleet/routes/text.es.ts'),
  campaigns: AS_SPECIFIED,
  campaignPage: AS_SPECIFIED,
  newCampaign: () => import('#console/people/campaigns/new/text.es.ts'),
  contacts: AS_SPECIFIED,
  contactForm: AS_SPECIFIED,
  contactImport: () => import('#console/people/contacts/import-text.es.ts'),
  counter: AS_SPECIFIED,
  hours: AS_SPECIFIED,
  sendingHours: AS_SPECIFIED,
  keywords: () => import('#console/messages/keywords/text.es.ts'),
  templates: AS_SPECIFIED,
  csv: () => import('#console/people/csv/text.es.ts'),

  callbacks: () => import('#console/outward/callbacks/text.es.ts'),
  callbackDialogs: () => import('#console/outward/callbacks/dialog-text.es.ts'),
  alertRules: AS_SPECIFIED,
  channelFaults: AS_SPECIFIED,
  alertDialogs: AS_SPECIFIED,

  deviceDetail: AS_SPECIFIED,
  dashboard: () => import('#console/insight/dashboard/text.es.ts'),
  logs: () => import('#console/insight/log/text.es.ts'),
  logView: () => import('#console/insight/log/view-text.es.ts'),

  menu: shell,
  shortcuts: AS_SPECIFIED,
  live: shell,
  alerts: AS_SPECIFIED,
  openAlerts: AS_SPECIFIED,
  sending: AS_SPECIFIED,
  palette: () => import('#console/app/shell/palette-text.es.ts'),
}
