import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import twilio from 'twilio'
import { openDoorCompany } from './door-company.ts'
import type { Answer } from './receiver.ts'

export const ACCOUNT = `AC${'0123456789abcdef'.repeat(2)}`
export const TO = '+34600111222'

/** A company, and the official client of Twilio with another address. */
export async function openTwilioCompany(
  t: TestContext,
  settings: Record<string, string> = {},
  answer?: Answer,
) {
  const company = await openDoorCompany(t, { TWILIO: 'on', ...settings }, answer ? { answer } : {})
  const clientOf = (key: string) => {
    const client = twilio(ACCOUNT, key)
    client.api.baseUrl = company.server.url
    return client
  }
  return { ...company, clientOf, client: clientOf(company.key.key) }
}

/** What the server posted to another system, checked like a request of Twilio's. */
export function formOf(
  received: { text: string; path: string; headers: Record<string, string> },
  url: string,
  secret: string,
) {
  const form = Object.fromEntries(new URLSearchParams(received.text))
  const signature = received.headers['x-twilio-signature']!
  assert.ok(twilio.validateRequest(secret, signature, url + received.path, form), 'the signature is right')
  assert.ok(!twilio.validateRequest('whsec_other', signature, url + received.path, form))
  return form
}
