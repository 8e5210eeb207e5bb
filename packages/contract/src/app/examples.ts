import * as apiKeys from '@sdd/contract/accounts/api-keys.ts'
import * as auth from '@sdd/contract/accounts/auth.ts'
import * as quotas from '@sdd/contract/accounts/quotas.ts'
import * as secondFactor from '@sdd/contract/accounts/second-factor.ts'
import * as settings from '@sdd/contract/accounts/settings.ts'
import * as users from '@sdd/contract/accounts/users.ts'
import { pathOf, type Route, type Schema, type Written } from '@sdd/contract/core/route.ts'
import * as brokerHook from '@sdd/contract/fleet/broker-hook.ts'
import * as changes from '@sdd/contract/fleet/device-changes.ts'
import * as devices from '@sdd/contract/fleet/devices.ts'
import * as limits from '@sdd/contract/fleet/limits.ts'
import * as orders from '@sdd/contract/fleet/orders.ts'
import * as sendingRoutes from '@sdd/contract/fleet/routes.ts'
import * as sims from '@sdd/contract/fleet/sims.ts'
import * as destinations from '@sdd/contract/messages/destinations.ts'
import * as keywords from '@sdd/contract/messages/keywords.ts'
import * as messages from '@sdd/contract/messages/messages.ts'
import * as optOuts from '@sdd/contract/messages/opt-outs.ts'
import * as alertChannels from '@sdd/contract/outward/alert-channels.ts'
import * as alerts from '@sdd/contract/outward/alerts.ts'
import * as callbacks from '@sdd/contract/outward/callbacks.ts'
import * as campaignRows from '@sdd/contract/people/campaign-rows.ts'
import * as campaigns from '@sdd/contract/people/campaigns.ts'
import * as contacts from '@sdd/contract/people/contacts.ts'
import * as conversations from '@sdd/contract/people/conversations.ts'
import * as templates from '@sdd/contract/people/templates.ts'
import * as tasks from '@sdd/contract/tasks/tasks.ts'

/** The named parts of paths in examples. */
export const exampleParams: Record<string, string> = {
  uid: 'roof-1',
  guid: 'order-4711-shipped',
  number: '+34600111222',
  id: '7',
  iccid: '8934071234567890123',
}

type WithBody = Route & { body: Schema }

const bodies = new Map<Route, unknown>()
function example<R extends WithBody>(route: R, body: Written<R['body']>): void {
  bodies.set(route, body)
}

const PASSWORD = 'a long password'
const CODE = '123456'
const NUMBER = '+34600111222'
const CAMPAIGN = {
  name: 'Opening hours',
  text: 'We open at 9 on Monday, {{name}}.',
  class: 'transactional',
} as const

example(auth.login, { username: 'ana@example.com', password: PASSWORD })
example(auth.proveSession, { password: PASSWORD })
example(auth.changePassword, { password: PASSWORD, new_password: 'a longer password' })
example(users.chooseLanguage, { language: 'en' })
example(secondFactor.enrolSecondFactor, { password: PASSWORD })
example(secondFactor.confirmSecondFactor, { code: CODE })
example(secondFactor.renewRecoveryCodes, { password: PASSWORD, code: CODE })
example(secondFactor.disableSecondFactor, { password: PASSWORD, code: CODE })
example(users.saveUser, { name: 'Ana', email: 'ana@example.com', role: 'user', password: PASSWORD })
example(changes.changeDevice, { name: 'Roof', tags: ['north'] })
example(changes.changeDevices, { uids: ['roof-1'], change: { add_tags: ['north'] } })
example(orders.giveOrder, { what: 'doctor' })
example(devices.createLinkCode, { uses: 3 })
example(devices.linkDevice, { code: 'AAAAA-AAAAA', uid: 'roof-2', location: 'Madrid' })
example(brokerHook.authenticateClient, {
  secret: 'the secret of MQTT_AUTH_SECRET',
  clientid: 'roof-1',
  username: 'roof-1',
  password: PASSWORD,
})
example(brokerHook.authorizeClient, {
  secret: 'the secret of MQTT_AUTH_SECRET',
  clientid: 'roof-1',
  username: 'roof-1',
  topic: 'devices/roof-1/reports',
  action: 'publish',
})
example(sims.saveSim, { plan: { parts_per_month: 1_000, renews_on_day: 15 } })
example(sendingRoutes.saveRoutes, {
  routes: [{ match: { country: 'ES' }, via: 'north', fallback: 'any', enabled: true }],
})
example(sendingRoutes.testRoutes, { to_number: NUMBER })
example(messages.sendSms, { device_uid: 'roof-1', telefono_to: NUMBER, mensaje_sms: 'The order is here.' })
example(tasks.createTasks, {
  guid: 'order-4711-shipped',
  to_number: NUMBER,
  text: 'Your order is on its way.',
})
example(contacts.saveContact, { name: 'Ana', lists: ['Customers'], consent: { how: 'web form' } })
example(contacts.importContacts, { rows: [{ number: NUMBER, name: 'Ana', lists: ['Customers'] }] })
example(templates.saveTemplate, { name: 'On its way', text: 'Hello {{name}}, your order is on its way.' })
example(conversations.changeConversation, { status: 'done' })
example(conversations.answerConversation, { text: 'Thank you, see you tomorrow.' })
example(campaigns.createCampaign, CAMPAIGN)
example(campaigns.changeCampaign, { ...CAMPAIGN, name: 'New opening hours' })
example(campaignRows.uploadRows, {
  first_row: 1,
  rows: [{ number: NUMBER, fields: { name: 'Ana' } }],
  last: true,
})
example(campaigns.startCampaign, { rows: 1 })
example(apiKeys.createApiKey, { name: 'shop', may: ['tasks:write', 'tasks:read'] })
example(apiKeys.rotateApiKey, { overlap_hours: 24 })
example(alerts.saveAlertSettings, { repeat_mins: 30 })
example(alerts.saveAlertRule, { condition: 'device_away', value: 10, channels: [] })
example(alertChannels.saveAlertChannel, {
  kind: 'ntfy',
  name: 'On call',
  settings: { url: 'https://ntfy.sh', topic: 'on-call' },
})
example(callbacks.createWebhook, { url: 'https://example.com/sms', types: ['task.delivered', 'task.failed'] })
example(callbacks.rotateWebhook, { overlap_hours: 24 })
example(keywords.saveKeyword, { word: 'hours', action: 'answer', answer: 'We are open from 9 to 18.' })
example(optOuts.addOptOut, { number: NUMBER })
example(settings.saveGlobalSettings, { spoof_time_secs: 3, send_enabled: true })
example(limits.saveDeviceLimit, { uid: 'roof-1', max_sms_dayly: 200 })
example(destinations.saveDestinations, { allow: ['+34'], deny: [], max_per_recipient_dayly: 10 })
example(quotas.saveQuotas, { api_keys: 50 })

/** The body of a route's example. Routes without one have no body, or need none. */
export function exampleOf(route: Route): unknown {
  return bodies.get(route)
}

/** A shell command that calls the route. `SDD_URL` is the server, and `SDD_TOKEN` an access token or an API key. */
export function commandOf(route: Route): string {
  const { method, may, encoding } = route
  const body = exampleOf(route)
  const parts = [
    method === 'GET' || (body !== undefined && method === 'POST') ? '' : `-X ${method}`,
    `"$SDD_URL${pathOf(route, exampleParams)}"`,
    may === 'anyone' ? '' : '-H "Authorization: Bearer $SDD_TOKEN"',
  ]
  if (body !== undefined && encoding === 'form')
    for (const [name, value] of Object.entries(body as object)) parts.push(`-d ${quoted(`${name}=${value}`)}`)
  else if (body !== undefined)
    parts.push("-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`)
  return ['curl -sS', ...parts.filter((part) => part !== '')].join(' ')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
