import * as alertChannels from '@sdd/contract/outward/alert-channels.ts'
import * as alerts from '@sdd/contract/outward/alerts.ts'
import * as apiKeys from '@sdd/contract/accounts/api-keys.ts'
import * as auth from '@sdd/contract/accounts/auth.ts'
import * as callbacks from '@sdd/contract/outward/callbacks.ts'
import * as destinations from '@sdd/contract/messages/destinations.ts'
import * as changes from '@sdd/contract/fleet/device-changes.ts'
import * as devices from '@sdd/contract/fleet/devices.ts'
import * as campaigns from '@sdd/contract/people/campaigns.ts'
import * as contacts from '@sdd/contract/people/contacts.ts'
import * as keywords from '@sdd/contract/messages/keywords.ts'
import * as fleetRoutes from '@sdd/contract/fleet/routes.ts'
import * as templates from '@sdd/contract/people/templates.ts'
import * as optOuts from '@sdd/contract/messages/opt-outs.ts'
import { askBalance, saveSim } from '@sdd/contract/fleet/sims.ts'
import { giveOrder } from '@sdd/contract/fleet/orders.ts'
import * as quotas from '@sdd/contract/accounts/quotas.ts'
import type { Route } from '@sdd/contract/core/route.ts'
import * as secondFactor from '@sdd/contract/accounts/second-factor.ts'
import * as sessions from '@sdd/contract/accounts/sessions.ts'
import * as settings from '@sdd/contract/accounts/settings.ts'
import { saveDeviceLimit } from '@sdd/contract/fleet/limits.ts'
import * as tasks from '@sdd/contract/tasks/tasks.ts'
import * as users from '@sdd/contract/accounts/users.ts'
import { addDeadCallback } from './callback-rows.ts'
import { appCode } from './authenticator.ts'
import { connectDevice, linkTestDevice } from './device.ts'
import { withTables } from './engine.ts'
import { newUser, PASSWORD, someone } from './seeds.ts'
import { call } from './server.ts'
import { type Admin, clock, server } from './audited-server.ts'
import {
  aCampaign,
  aContact,
  aDevice,
  aKey,
  anOpenAlert,
  aProof,
  aRunningCampaign,
  aSession,
  aUser,
  aWebhook,
  CAMPAIGN,
  enrol,
  NUMBER,
} from './audited-parts.ts'

type Asked = {
  params?: Record<string, string | number>
  query?: Record<string, string>
  body?: Record<string, unknown>
}
const RULE = { condition: 'device_away', value: 5 } as const
const CHANNEL = { kind: 'ntfy', name: 'Phone', settings: { url: 'https://192.0.2.1/', topic: 'x' } } as const
const ICCID = '8934561100000000022'

/** A request for each of the other routes that write, and the action it records. */
export const changing = new Map<Route, [action: string, of: (admin: Admin) => Asked | Promise<Asked>][]>([
  [
    contacts.saveContact,
    [['consent.recorded', () => ({ params: NUMBER, body: { consent: { how: 'web' } } })]],
  ],
  [contacts.deleteContact, [['consent.withdrawn', aContact]]],
  [
    contacts.importContacts,
    [['consent.recorded', () => ({ body: { rows: [{ ...NUMBER, consent: { how: 'web' } }] } })]],
  ],
  [templates.saveTemplate, [['settings.saved', () => ({ body: { name: 'Reminder', text: 'x' } })]]],
  [
    templates.deleteTemplate,
    [
      [
        'settings.saved',
        async ({ token }) => {
          const body = { name: 'Reminder', text: 'x' }
          return { params: { id: (await call(server, templates.saveTemplate, { token, body })).body.id } }
        },
      ],
    ],
  ],
  [keywords.saveKeyword, [['settings.saved', () => ({ body: { word: 'basta', action: 'stop' } })]]],
  [
    keywords.deleteKeyword,
    [
      [
        'settings.saved',
        async ({ token }) => {
          const body = { word: 'basta', action: 'stop' } as const
          return { params: { id: (await call(server, keywords.saveKeyword, { token, body })).body.id } }
        },
      ],
    ],
  ],
  [alerts.saveAlertSettings, [['alert_settings.saved', () => ({ body: { repeat_mins: 15 } })]]],
  [alerts.saveAlertRule, [['alert_rule.saved', () => ({ body: RULE })]]],
  [
    alerts.deleteAlertRule,
    [
      [
        'alert_rule.deleted',
        async ({ token }) => {
          const { id } = (await call(server, alerts.saveAlertRule, { token, body: RULE })).body
          return { params: { id } }
        },
      ],
    ],
  ],
  [alertChannels.saveAlertChannel, [['alert_channel.saved', () => ({ body: CHANNEL })]]],
  [
    alertChannels.deleteAlertChannel,
    [
      [
        'alert_channel.deleted',
        async ({ token }) => {
          const { id } = (await call(server, alertChannels.saveAlertChannel, { token, body: CHANNEL })).body
          return { params: { id } }
        },
      ],
    ],
  ],
  [
    alerts.acknowledgeAlert,
    [['alert.acknowledged', async ({ companyId }) => ({ params: { id: await anOpenAlert(companyId) } })]],
  ],
  [campaigns.createCampaign, [['campaign.created', () => ({ body: CAMPAIGN })]]],
  [
    campaigns.changeCampaign,
    [
      [
        'campaign.changed',
        async (admin) => ({ ...(await aCampaign(admin)), body: { ...CAMPAIGN, text: 'y' } }),
      ],
    ],
  ],
  [campaigns.deleteCampaign, [['campaign.removed', aCampaign]]],
  [
    campaigns.startCampaign,
    [['campaign.started', async (admin) => ({ ...(await aCampaign(admin, true)), body: { rows: 1 } })]],
  ],
  [campaigns.pauseCampaign, [['campaign.paused', aRunningCampaign]]],
  [
    campaigns.resumeCampaign,
    [
      [
        'campaign.resumed',
        async (admin) => {
          const { params } = await aRunningCampaign(admin)
          await call(server, campaigns.pauseCampaign, { token: admin.token, params })
          return { params }
        },
      ],
    ],
  ],
  [campaigns.stopCampaign, [['campaign.stopped', aRunningCampaign]]],
  [
    campaigns.retryCampaign,
    [
      [
        'campaign.created',
        async (admin) => {
          const { params } = await aRunningCampaign(admin)
          await call(server, campaigns.stopCampaign, { token: admin.token, params })
          // A row that failed without any remedy of its own.
          await withTables(server, ({ all }) =>
            all(`update campaign_rows set state = 'failed' where campaign_id = ?`, params.id),
          )
          return { params }
        },
      ],
    ],
  ],
  [
    users.saveUser,
    [
      ['user.created', () => ({ body: someone({ password: 'a password of a user' }) })],
      ['user.edited', async ({ token }) => ({ body: { ...(await aUser(token)), role: 'admin' } })],
    ],
  ],
  [
    auth.changePassword,
    [['user.edited', () => ({ body: { password: PASSWORD, new_password: 'the password after' } })]],
  ],
  [sessions.endSession, [['user.session_ended', aSession]]],
  [
    sessions.endOtherSessions,
    [['user.sessions_ended', async ({ token }) => ({ query: { user: `${(await aUser(token)).id}` } })]],
  ],
  [
    secondFactor.confirmSecondFactor,
    [
      [
        'user.second_factor_enabled',
        async ({ token }) => ({ body: { code: appCode(await enrol(token), clock.now()) } }),
      ],
    ],
  ],
  [secondFactor.renewRecoveryCodes, [['user.recovery_codes_renewed', aProof]]],
  [secondFactor.disableSecondFactor, [['user.second_factor_disabled', aProof]]],
  [
    secondFactor.removeSecondFactor,
    [
      [
        'user.second_factor_removed',
        async ({ token }) => {
          const user = await newUser(server, token)
          await aProof(user)
          return { params: { id: user.id } }
        },
      ],
    ],
  ],
  [devices.enableDevice, [['device.enabled', ({ token }) => aDevice(token, false)]]],
  [devices.disableDevice, [['device.disabled', ({ token }) => aDevice(token)]]],
  [
    changes.changeDevice,
    [['device.changed', async ({ token }) => ({ ...(await aDevice(token)), body: { name: 'Roof' } })]],
  ],
  [
    changes.changeDevices,
    [
      [
        'device.changed',
        async ({ token }) => ({
          body: { uids: [(await aDevice(token)).params.uid], change: { note: 'By the stairs' } },
        }),
      ],
    ],
  ],
  [
    giveOrder,
    [
      [
        'order.given',
        async ({ token }) => {
          const linked = await linkTestDevice(server, token, `drone-${crypto.randomUUID()}`)
          await connectDevice(linked, undefined, ['doctor'])
          return { params: { uid: linked.uid }, body: { what: 'doctor' } }
        },
      ],
    ],
  ],
  [
    saveSim,
    [
      [
        'sim.changed',
        async ({ token }) => {
          const linked = await linkTestDevice(server, token, `drone-${crypto.randomUUID()}`)
          const drone = await connectDevice(linked)
          await drone.publish('networks', { mobile: { sims: [{ slot: 0, iccid: ICCID }] } })
          return { params: { iccid: ICCID }, body: { note: 'By the door' } }
        },
      ],
    ],
  ],
  [
    askBalance,
    [
      [
        'order.given',
        async ({ token }) => {
          const linked = await linkTestDevice(server, token, `drone-${crypto.randomUUID()}`)
          const drone = await connectDevice(linked, undefined, ['ussd'])
          await drone.publish('networks', { mobile: { sims: [{ slot: 0, iccid: ICCID }] } })
          const balance_query = { code: '*100#', pattern: '{amount}', currency: 'EUR', every_hours: null }
          await call(server, saveSim, { token, params: { iccid: ICCID }, body: { balance_query } })
          return { params: { iccid: ICCID } }
        },
      ],
    ],
  ],
  [devices.renewSecret, [['device.secret_renewed', ({ token }) => aDevice(token)]]],
  [devices.unlinkDevice, [['device.unlinked', ({ token }) => aDevice(token)]]],
  [devices.createLinkCode, [['link_code.created', () => ({ body: { uses: 3 } })]]],
  [
    devices.revokeLinkCode,
    [
      [
        'link_code.revoked',
        async ({ token }) => {
          const { body } = await call(server, devices.createLinkCode, { token, body: {} })
          return { params: { id: body.id } }
        },
      ],
    ],
  ],
  [
    settings.saveGlobalSettings,
    [['settings.saved', () => ({ body: { spoof_time_secs: 7, send_enabled: true } })]],
  ],
  [
    saveDeviceLimit,
    [
      [
        'device.limit_saved',
        async ({ token }) => ({ body: { ...(await aDevice(token)).params, max_sms_dayly: 7 } }),
      ],
    ],
  ],
  [
    quotas.saveQuotas,
    [
      [
        'settings.quotas_changed',
        ({ companyId }) => ({ query: { company: `${companyId}` }, body: { webhooks: 7 } }),
      ],
    ],
  ],
  [
    fleetRoutes.saveRoutes,
    [
      [
        'routes.saved',
        () => ({
          body: { routes: [{ match: { prefix: '+34' }, via: 'north', fallback: 'any', enabled: true }] },
        }),
      ],
    ],
  ],
  [
    destinations.saveDestinations,
    [['destinations.changed', () => ({ body: { allow: ['+34'], deny: [], max_per_recipient_dayly: null } })]],
  ],
  [apiKeys.createApiKey, [['api_key.created', () => ({ body: { name: 'shop' } })]]],
  [apiKeys.revokeApiKey, [['api_key.revoked', ({ token }) => aKey(token)]]],
  [apiKeys.rotateApiKey, [['api_key.rotated', ({ token }) => aKey(token)]]],
  [apiKeys.endPreviousKey, [['api_key.previous_ended', ({ token }) => aKey(token, true)]]],
  [
    callbacks.createWebhook,
    [['webhook.created', () => ({ body: { url: 'https://192.0.2.1/hook?token=of-the-receiver' } })]],
  ],
  [callbacks.deleteWebhook, [['webhook.removed', ({ token }) => aWebhook(token)]]],
  [callbacks.rotateWebhook, [['webhook.rotated', ({ token }) => aWebhook(token)]]],
  [callbacks.endPreviousSecret, [['webhook.previous_ended', ({ token }) => aWebhook(token, true)]]],
  [
    tasks.discardTask,
    [
      [
        'task.discarded',
        async ({ token }) => {
          const task = { guid: `discarded-${crypto.randomUUID()}`, to_number: '600111444', text: 'hola' }
          await call(server, tasks.createTasks, { token, body: task })
          return { params: { guid: task.guid } }
        },
      ],
    ],
  ],
  [
    callbacks.repeatCallback,
    [
      [
        'callback.repeated',
        async ({ companyId }) => ({ params: { id: await addDeadCallback(server, companyId) } }),
      ],
    ],
  ],
  [
    callbacks.repeatDeadCallbacks,
    [
      [
        'callback.repeated',
        async ({ companyId }) => {
          await addDeadCallback(server, companyId)
          return {}
        },
      ],
    ],
  ],
  [optOuts.addOptOut, [['opt_out.added', () => ({ body: { number: '600111222' } })]]],
  [
    optOuts.liftOptOut,
    [
      [
        'opt_out.lifted',
        async ({ token }) => {
          const body = { number: '600111333' }
          return { params: { id: (await call(server, optOuts.addOptOut, { token, body })).body.id } }
        },
      ],
    ],
  ],
])
