import type * as duty from '#console/accounts/account/duty-text.ts'
import type * as proof from '#console/accounts/account/proof-text.ts'
import type * as account from '#console/accounts/account/text.ts'
import type * as apiKeys from '#console/accounts/api-keys/text.ts'
import type * as audit from '#console/accounts/audit/text.ts'
import type * as auth from '#console/accounts/auth/text.ts'
import type * as hours from '#console/accounts/hours/text.ts'
import type * as quotas from '#console/accounts/quotas/text.ts'
import type * as globalSettings from '#console/accounts/settings/global-text.ts'
import type * as sendingHours from '#console/accounts/settings/hours-text.ts'
import type * as settings from '#console/accounts/settings/text.ts'
import type * as users from '#console/accounts/users/text.ts'
import type * as openAlerts from '#console/app/alerts/text.ts'
import type * as alerts from '#console/app/shell/alert-text.ts'
import type * as palette from '#console/app/shell/palette-text.ts'
import type * as sending from '#console/app/shell/sending-text.ts'
import type * as shortcuts from '#console/app/shell/shortcuts-text.ts'
import type * as shell from '#console/app/shell/text.ts'
import type * as faults from '#console/core/fault-text.ts'
import type * as formats from '#console/core/formats.ts'
import type { AS_SPECIFIED, Words } from '#console/core/language.ts'
import type * as core from '#console/core/text.ts'
import type * as agents from '#console/fleet/agents/text.ts'
import type * as deviceBulk from '#console/fleet/devices/bulk-text.ts'
import type * as devicePage from '#console/fleet/devices/device-text.ts'
import type * as linking from '#console/fleet/devices/linking-text.ts'
import type * as devices from '#console/fleet/devices/text.ts'
import type * as viewOptions from '#console/fleet/devices/view-text.ts'
import type * as sims from '#console/fleet/sims/text.ts'
import type * as orders from '#console/fleet/orders/text.ts'
import type * as limits from '#console/fleet/limits/text.ts'
import type * as dashboard from '#console/insight/dashboard/text.ts'
import type * as deviceDetail from '#console/insight/device-detail/text.ts'
import type * as logs from '#console/insight/log/text.ts'
import type * as logView from '#console/insight/log/view-text.ts'
import type * as destinations from '#console/messages/destinations/text.ts'
import type * as keywords from '#console/messages/keywords/text.ts'
import type * as sendSeveral from '#console/messages/messages/several-text.ts'
import type * as messages from '#console/messages/messages/text.ts'
import type * as optOuts from '#console/messages/opt-outs/text.ts'
import type * as outcomes from '#console/messages/outcomes/text.ts'
import type * as record from '#console/messages/record/text.ts'
import type * as waiting from '#console/messages/waiting/text.ts'
import type * as conversations from '#console/people/conversations/text.ts'
import type * as routes from '#console/fleet/routes/text.ts'
import type * as newCampaign from '#console/people/campaigns/new/text.ts'
import type * as campaignPage from '#console/people/campaigns/page-text.ts'
import type * as campaigns from '#console/people/campaigns/text.ts'
import type * as contactForm from '#console/people/contacts/form-text.ts'
import type * as contactImport from '#console/people/contacts/import-text.ts'
import type * as contacts from '#console/people/contacts/text.ts'
import type * as csv from '#console/people/csv/text.ts'
import type * as counter from '#console/messages/messages/counter-text.ts'
import type * as templates from '#console/people/templates/text.ts'
import type * as alertDialogs from '#console/outward/alerts/dialog-text.ts'
import type * as alertRules from '#console/outward/alerts/text.ts'
import type * as channelFaults from '#console/outward/alerts/channel-text.ts'
import type * as callbackDialogs from '#console/outward/callbacks/dialog-text.ts'
import type * as callbacks from '#console/outward/callbacks/text.ts'
import type * as bulkDiscard from '#console/tasks/bulk-text.ts'
import type * as tasks from '#console/tasks/text.ts'
import type * as savedViews from '#console/ui/saved-text.ts'
import type * as exporting from '#console/ui/csv-text.ts'
import type * as troubles from '#console/ui/trouble-text.ts'
import type * as rotation from '#console/ui/rotate-text.ts'
import type * as selecting from '#console/ui/selection-text.ts'

/** The texts of the console by their names, which are the exports of each file that calls `wording`. */
type Texts = typeof core &
  typeof formats &
  typeof faults &
  typeof troubles &
  typeof rotation &
  typeof selecting &
  typeof auth &
  typeof account &
  typeof duty &
  typeof proof &
  typeof apiKeys &
  typeof audit &
  typeof quotas &
  typeof globalSettings &
  typeof settings &
  typeof users &
  typeof devices &
  typeof agents &
  typeof deviceBulk &
  typeof devicePage &
  typeof linking &
  typeof viewOptions &
  typeof orders &
  typeof sims &
  typeof limits &
  typeof destinations &
  typeof messages &
  typeof sendSeveral &
  typeof optOuts &
  typeof outcomes &
  typeof record &
  typeof waiting &
  typeof tasks &
  typeof conversations &
  typeof bulkDiscard &
  typeof routes &
  typeof campaigns &
  typeof campaignPage &
  typeof newCampaign &
  typeof contacts &
  typeof counter &
  typeof hours &
  typeof sendingHours &
  typeof keywords &
  typeof templates &
  typeof contactForm &
  typeof contactImport &
  typeof csv &
  typeof callbacks &
  typeof callbackDialogs &
  typeof alertRules &
  typeof channelFaults &
  typeof alertDialogs &
  typeof dashboard &
  typeof deviceDetail &
  typeof logs &
  typeof logView &
  typeof savedViews &
  typeof exporting &
  typeof shell &
  typeof shortcuts &
  typeof sending &
  typeof alerts &
  typeof openAlerts &
  typeof palette

/** One language: each text, or how to load its file, unless it has the words of the specification. */
export type Wording = {
  [Name in keyof Texts]:
    | Words<Texts[Name]>
    | (() => Promise<{ [Same in Name]: Words<Texts[Name]> }>)
    | typeof AS_SPECIFIED
}
