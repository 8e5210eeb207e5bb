import * as agents from '@sdd/contract/fleet/agents.ts'
import * as apiKeys from '@sdd/contract/accounts/api-keys.ts'
import * as audit from '@sdd/contract/accounts/audit.ts'
import * as auth from '@sdd/contract/accounts/auth.ts'
import * as brokerHook from '@sdd/contract/fleet/broker-hook.ts'
import * as campaignChecks from '@sdd/contract/people/campaign-checks.ts'
import * as campaignRows from '@sdd/contract/people/campaign-rows.ts'
import * as campaigns from '@sdd/contract/people/campaigns.ts'
import * as alertChannels from '@sdd/contract/outward/alert-channels.ts'
import * as alerts from '@sdd/contract/outward/alerts.ts'
import * as callbacks from '@sdd/contract/outward/callbacks.ts'
import * as contacts from '@sdd/contract/people/contacts.ts'
import * as conversations from '@sdd/contract/people/conversations.ts'
import * as dashboard from '@sdd/contract/insight/dashboard.ts'
import * as deviceDetail from '@sdd/contract/insight/device-detail.ts'
import * as destinations from '@sdd/contract/messages/destinations.ts'
import * as changes from '@sdd/contract/fleet/device-changes.ts'
import * as devices from '@sdd/contract/fleet/devices.ts'
import * as deviceProtocol from '@sdd/contract/fleet/device-protocol.ts'
import * as keywords from '@sdd/contract/messages/keywords.ts'
import * as limits from '@sdd/contract/fleet/limits.ts'
import * as live from '@sdd/contract/core/live.ts'
import * as log from '@sdd/contract/insight/log.ts'
import * as madeByUser from '@sdd/contract/insight/made-by-user.ts'
import * as messages from '@sdd/contract/messages/messages.ts'
import * as optOuts from '@sdd/contract/messages/opt-outs.ts'
import * as orders from '@sdd/contract/fleet/orders.ts'
import * as fleetRoutes from '@sdd/contract/fleet/routes.ts'
import * as quotas from '@sdd/contract/accounts/quotas.ts'
import type { Route } from '@sdd/contract/core/route.ts'
import * as secondFactor from '@sdd/contract/accounts/second-factor.ts'
import * as sims from '@sdd/contract/fleet/sims.ts'
import * as sessions from '@sdd/contract/accounts/sessions.ts'
import * as settings from '@sdd/contract/accounts/settings.ts'
import * as system from '@sdd/contract/core/system.ts'
import * as tasks from '@sdd/contract/tasks/tasks.ts'
import * as templates from '@sdd/contract/people/templates.ts'
import type { Topic } from '@sdd/contract/core/topic.ts'
import * as users from '@sdd/contract/accounts/users.ts'

/** Every route of the API, in reading order. */
export const routes: readonly Route[] = [
  auth.login,
  auth.logout,
  auth.proveSession,
  auth.changePassword,
  users.chooseLanguage,
  sessions.listSessions,
  sessions.endSession,
  sessions.endOtherSessions,
  secondFactor.readSecondFactor,
  secondFactor.enrolSecondFactor,
  secondFactor.confirmSecondFactor,
  secondFactor.renewRecoveryCodes,
  secondFactor.disableSecondFactor,
  users.listUsers,
  users.saveUser,
  users.readUser,
  madeByUser.readMadeByUser,
  secondFactor.removeSecondFactor,
  devices.listDevices,
  devices.readNetworks,
  devices.enableDevice,
  devices.disableDevice,
  changes.changeDevice,
  changes.changeDevices,
  agents.readAgents,
  orders.giveOrder,
  orders.listOrders,
  sims.listSims,
  sims.saveSim,
  sims.askBalance,
  fleetRoutes.readRoutes,
  fleetRoutes.saveRoutes,
  fleetRoutes.testRoutes,
  devices.createLinkCode,
  devices.listLinkCodes,
  devices.revokeLinkCode,
  devices.linkDevice,
  devices.renewSecret,
  devices.unlinkDevice,
  brokerHook.authenticateClient,
  brokerHook.authorizeClient,
  messages.sendSms,
  log.listLogs,
  log.countLogs,
  log.exportLogs,
  log.readMessage,
  tasks.createTasks,
  tasks.listTasks,
  tasks.exportTasks,
  tasks.readTask,
  tasks.discardTask,
  contacts.listContacts,
  contacts.exportContacts,
  contacts.readContact,
  contacts.saveContact,
  contacts.deleteContact,
  contacts.importContacts,
  contacts.listLists,
  templates.listTemplates,
  templates.saveTemplate,
  templates.deleteTemplate,
  conversations.listConversations,
  conversations.readConversation,
  conversations.changeConversation,
  conversations.answerConversation,
  conversations.discardAnswer,
  conversations.listInbox,
  campaigns.listCampaigns,
  campaigns.createCampaign,
  campaigns.readCampaign,
  campaigns.changeCampaign,
  campaigns.deleteCampaign,
  campaignRows.uploadRows,
  campaignRows.listRows,
  campaignRows.exportRows,
  campaignChecks.previewCampaign,
  campaignChecks.checkRows,
  campaignChecks.exportCheck,
  campaigns.startCampaign,
  campaigns.pauseCampaign,
  campaigns.resumeCampaign,
  campaigns.stopCampaign,
  campaigns.retryCampaign,
  apiKeys.listApiKeys,
  apiKeys.createApiKey,
  apiKeys.rotateApiKey,
  apiKeys.endPreviousKey,
  apiKeys.revokeApiKey,
  alerts.readAlertSettings,
  alerts.saveAlertSettings,
  alerts.listAlertRules,
  alerts.saveAlertRule,
  alerts.deleteAlertRule,
  alertChannels.listAlertChannels,
  alertChannels.saveAlertChannel,
  alertChannels.deleteAlertChannel,
  alertChannels.testAlertChannel,
  alerts.listAlerts,
  alerts.acknowledgeAlert,
  callbacks.listWebhooks,
  callbacks.createWebhook,
  callbacks.rotateWebhook,
  callbacks.endPreviousSecret,
  callbacks.deleteWebhook,
  callbacks.testWebhook,
  callbacks.listCallbacks,
  callbacks.readCallback,
  callbacks.repeatCallback,
  callbacks.repeatDeadCallbacks,
  keywords.listKeywords,
  keywords.saveKeyword,
  keywords.deleteKeyword,
  optOuts.listOptOuts,
  optOuts.addOptOut,
  optOuts.liftOptOut,
  audit.listAudit,
  audit.exportAudit,
  dashboard.readDashboard,
  deviceDetail.readDevice,
  deviceDetail.readDeviceHistory,
  settings.readGlobalSettings,
  settings.saveGlobalSettings,
  limits.listDeviceSettings,
  limits.saveDeviceLimit,
  destinations.readDestinations,
  destinations.saveDestinations,
  quotas.readQuotas,
  quotas.saveQuotas,
  system.openapi,
  system.asyncapi,
  system.liveness,
  system.readiness,
]

/** Every topic, those of devices first. */
export const topics: readonly Topic[] = [
  deviceProtocol.deviceStatus,
  deviceProtocol.deviceNetworks,
  deviceProtocol.deviceReports,
  deviceProtocol.deviceInbox,
  deviceProtocol.deviceTelemetry,
  deviceProtocol.deviceAnswers,
  deviceProtocol.deviceCommands,
  live.devicesStatus,
  live.frontChange,
]
