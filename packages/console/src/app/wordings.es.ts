import type { Wording } from './wordings.ts'
import { login } from '#console/accounts/auth/text.es.ts'
import { faults } from '#console/core/fault-text.es.ts'
import { formats } from '#console/core/formats.es.ts'
import { text } from '#console/core/text.es.ts'

const devices = () => import('#console/fleet/devices/text.es.ts')
const shell = () => import('#console/app/shell/text.es.ts')

/** The texts of the first screen, and how to load the others. */
export const wordings: Wording = {
  text,
  formats,
  faults,
  selecting: () => import('#console/ui/selection-text.es.ts'),
  savedViews: () => import('#console/ui/saved-text.es.ts'),
  exporting: () => import('#console/ui/csv-text.es.ts'),
  troubles: () => import('#console/ui/trouble-text.es.ts'),
  rotation: () => import('#console/ui/rotate-text.es.ts'),

  login,
  account: () => import('#console/accounts/account/text.es.ts'),
  duty: () => import('#console/accounts/account/duty-text.es.ts'),
  proof: () => import('#console/accounts/account/proof-text.es.ts'),
  apiKeys: () => import('#console/accounts/api-keys/text.es.ts'),
  audit: () => import('#console/accounts/audit/text.es.ts'),
  quotas: () => import('#console/accounts/quotas/text.es.ts'),
  globalSettings: () => import('#console/accounts/settings/global-text.es.ts'),
  settings: () => import('#console/accounts/settings/text.es.ts'),
  users: () => import('#console/accounts/users/text.es.ts'),

  devices,
  networks: devices,
  agents: () => import('#console/fleet/agents/text.es.ts'),
  deviceBulk: () => import('#console/fleet/devices/bulk-text.es.ts'),
  viewOptions: () => import('#console/fleet/devices/view-text.es.ts'),
  sims: () => import('#console/fleet/sims/text.es.ts'),
  orders: () => import('#console/fleet/orders/text.es.ts'),
  devicePage: () => import('#console/fleet/devices/device-text.es.ts'),
  linking: () => import('#console/fleet/devices/linking-text.es.ts'),
  deviceSettings: () => import('#console/fleet/limits/text.es.ts'),

  destinations: () => import('#console/messages/destinations/text.es.ts'),
  optOuts: () => import('#console/messages/opt-outs/text.es.ts'),
  send: () => import('#console/messages/messages/text.es.ts'),
  sendSeveral: () => import('#console/messages/messages/several-text.es.ts'),
  outcomes: () => import('#console/messages/outcomes/text.es.ts'),
  record: () => import('#console/messages/record/text.es.ts'),
  waiting: () => import('#console/messages/waiting/text.es.ts'),

  tasks: () => import('#console/tasks/text.es.ts'),
  bulkDiscard: () => import('#console/tasks/bulk-text.es.ts'),

  conversations: () => import('#console/people/conversations/text.es.ts'),
  routes: () => import('#console/fleet/routes/text.es.ts'),
  campaigns: () => import('#console/people/campaigns/text.es.ts'),
  campaignPage: () => import('#console/people/campaigns/page-text.es.ts'),
  newCampaign: () => import('#console/people/campaigns/new/text.es.ts'),
  contacts: () => import('#console/people/contacts/text.es.ts'),
  contactForm: () => import('#console/people/contacts/form-text.es.ts'),
  contactImport: () => import('#console/people/contacts/import-text.es.ts'),
  counter: () => import('#console/messages/messages/counter-text.es.ts'),
  hours: () => import('#console/accounts/hours/text.es.ts'),
  sendingHours: () => import('#console/accounts/settings/hours-text.es.ts'),
  keywords: () => import('#console/messages/keywords/text.es.ts'),
  templates: () => import('#console/people/templates/text.es.ts'),
  csv: () => import('#console/people/csv/text.es.ts'),

  callbacks: () => import('#console/outward/callbacks/text.es.ts'),
  callbackDialogs: () => import('#console/outward/callbacks/dialog-text.es.ts'),
  alertRules: () => import('#console/outward/alerts/text.es.ts'),
  channelFaults: () => import('#console/outward/alerts/channel-text.es.ts'),
  alertDialogs: () => import('#console/outward/alerts/dialog-text.es.ts'),

  deviceDetail: () => import('#console/insight/device-detail/text.es.ts'),
  dashboard: () => import('#console/insight/dashboard/text.es.ts'),
  logs: () => import('#console/insight/log/text.es.ts'),
  logView: () => import('#console/insight/log/view-text.es.ts'),

  menu: shell,
  shortcuts: () => import('#console/app/shell/shortcuts-text.es.ts'),
  live: shell,
  alerts: () => import('#console/app/shell/alert-text.es.ts'),
  openAlerts: () => import('#console/app/alerts/text.es.ts'),
  sending: () => import('#console/app/shell/sending-text.es.ts'),
  palette: () => import('#console/app/shell/palette-text.es.ts'),
}
