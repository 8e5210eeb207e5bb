import type { Wording } from './wordings.ts'
import { login } from '#console/accounts/auth/text.en.ts'
import { faults } from '#console/core/fault-text.en.ts'
import { formats } from '#console/core/formats.en.ts'
import { text } from '#console/core/text.en.ts'

const devices = () => import('#console/fleet/devices/text.en.ts')
const shell = () => import('#console/app/shell/text.en.ts')

/** The texts of the first screen, and how to load the others. */
export const wordings: Wording = {
  text,
  formats,
  faults,
  selecting: () => import('#console/ui/selection-text.en.ts'),
  savedViews: () => import('#console/ui/saved-text.en.ts'),
  exporting: () => import('#console/ui/csv-text.en.ts'),
  troubles: () => import('#console/ui/trouble-text.en.ts'),
  rotation: () => import('#console/ui/rotate-text.en.ts'),

  login,
  account: () => import('#console/accounts/account/text.en.ts'),
  duty: () => import('#console/accounts/account/duty-text.en.ts'),
  proof: () => import('#console/accounts/account/proof-text.en.ts'),
  apiKeys: () => import('#console/accounts/api-keys/text.en.ts'),
  audit: () => import('#console/accounts/audit/text.en.ts'),
  quotas: () => import('#console/accounts/quotas/text.en.ts'),
  globalSettings: () => import('#console/accounts/settings/global-text.en.ts'),
  settings: () => import('#console/accounts/settings/text.en.ts'),
  users: () => import('#console/accounts/users/text.en.ts'),

  devices,
  networks: devices,
  agents: () => import('#console/fleet/agents/text.en.ts'),
  deviceBulk: () => import('#console/fleet/devices/bulk-text.en.ts'),
  viewOptions: () => import('#console/fleet/devices/view-text.en.ts'),
  sims: () => import('#console/fleet/sims/text.en.ts'),
  orders: () => import('#console/fleet/orders/text.en.ts'),
  devicePage: () => import('#console/fleet/devices/device-text.en.ts'),
  linking: () => import('#console/fleet/devices/linking-text.en.ts'),
  deviceSettings: () => import('#console/fleet/limits/text.en.ts'),

  destinations: () => import('#console/messages/destinations/text.en.ts'),
  optOuts: () => import('#console/messages/opt-outs/text.en.ts'),
  send: () => import('#console/messages/messages/text.en.ts'),
  sendSeveral: () => import('#console/messages/messages/several-text.en.ts'),
  outcomes: () => import('#console/messages/outcomes/text.en.ts'),
  record: () => import('#console/messages/record/text.en.ts'),
  waiting: () => import('#console/messages/waiting/text.en.ts'),

  tasks: () => import('#console/tasks/text.en.ts'),
  bulkDiscard: () => import('#console/tasks/bulk-text.en.ts'),

  conversations: () => import('#console/people/conversations/text.en.ts'),
  routes: () => import('#console/fleet/routes/text.en.ts'),
  campaigns: () => import('#console/people/campaigns/text.en.ts'),
  campaignPage: () => import('#console/people/campaigns/page-text.en.ts'),
  newCampaign: () => import('#console/people/campaigns/new/text.en.ts'),
  contacts: () => import('#console/people/contacts/text.en.ts'),
  contactForm: () => import('#console/people/contacts/form-text.en.ts'),
  contactImport: () => import('#console/people/contacts/import-text.en.ts'),
  counter: () => import('#console/messages/messages/counter-text.en.ts'),
  hours: () => import('#console/accounts/hours/text.en.ts'),
  sendingHours: () => import('#console/accounts/settings/hours-text.en.ts'),
  keywords: () => import('#console/messages/keywords/text.en.ts'),
  templates: () => import('#console/people/templates/text.en.ts'),
  csv: () => import('#console/people/csv/text.en.ts'),

  callbacks: () => import('#console/outward/callbacks/text.en.ts'),
  callbackDialogs: () => import('#console/outward/callbacks/dialog-text.en.ts'),
  alertRules: () => import('#console/outward/alerts/text.en.ts'),
  channelFaults: () => import('#console/outward/alerts/channel-text.en.ts'),
  alertDialogs: () => import('#console/outward/alerts/dialog-text.en.ts'),

  deviceDetail: () => import('#console/insight/device-detail/text.en.ts'),
  dashboard: () => import('#console/insight/dashboard/text.en.ts'),
  logs: () => import('#console/insight/log/text.en.ts'),
  logView: () => import('#console/insight/log/view-text.en.ts'),

  menu: shell,
  shortcuts: () => import('#console/app/shell/shortcuts-text.en.ts'),
  live: shell,
  alerts: () => import('#console/app/shell/alert-text.en.ts'),
  openAlerts: () => import('#console/app/alerts/text.en.ts'),
  sending: () => import('#console/app/shell/sending-text.en.ts'),
  palette: () => import('#console/app/shell/palette-text.en.ts'),
}
