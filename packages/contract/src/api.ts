import * as apiKeys from './api-keys.ts'
import * as audit from './audit.ts'
import * as auth from './auth.ts'
import * as brokerHook from './broker-hook.ts'
import * as callbacks from './callbacks.ts'
import * as dashboard from './dashboard.ts'
import * as destinations from './destinations.ts'
import * as devices from './devices.ts'
import * as deviceProtocol from './device-protocol.ts'
import * as limits from './limits.ts'
import * as live from './live.ts'
import * as log from './log.ts'
import * as madeByUser from './made-by-user.ts'
import * as messages from './messages.ts'
import * as optOuts from './opt-outs.ts'
import * as quotas from './quotas.ts'
import type { Route } from './route.ts'
import * as secondFactor from './second-factor.ts'
import * as sessions from './sessions.ts'
import * as settings from './settings.ts'
import * as system from './system.ts'
import * as tasks from './tasks.ts'
import type { Topic } from './topic.ts'
import * as users from './users.ts'

/** Every route of the API, in the order a reader would want them. */
export const routes: readonly Route[] = [
  auth.login,
  auth.logout,
  auth.proveSession,
  auth.changePassword,
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
  log.exportLogs,
  log.readMessage,
  tasks.createTasks,
  tasks.listTasks,
  tasks.readTask,
  tasks.discardTask,
  apiKeys.listApiKeys,
  apiKeys.createApiKey,
  apiKeys.rotateApiKey,
  apiKeys.endPreviousKey,
  apiKeys.revokeApiKey,
  callbacks.listWebhooks,
  callbacks.createWebhook,
  callbacks.rotateWebhook,
  callbacks.endPreviousSecret,
  callbacks.deleteWebhook,
  callbacks.listCallbacks,
  callbacks.repeatCallback,
  optOuts.listOptOuts,
  optOuts.addOptOut,
  optOuts.liftOptOut,
  audit.listAudit,
  dashboard.readDashboard,
  settings.readGlobalSettings,
  settings.saveGlobalSettings,
  limits.listDeviceSettings,
  limits.saveDeviceLimit,
  destinations.readDestinations,
  destinations.saveDestinations,
  quotas.readQuotas,
  quotas.saveQuotas,
  system.openapi,
  system.liveness,
  system.readiness,
]

/** Every topic, those of devices first. */
export const topics: readonly Topic[] = [
  deviceProtocol.deviceStatus,
  deviceProtocol.deviceNetworks,
  deviceProtocol.deviceReports,
  deviceProtocol.deviceInbox,
  deviceProtocol.deviceCommands,
  live.devicesStatus,
  live.frontChange,
]
