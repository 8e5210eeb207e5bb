import * as contract from '@sdd/contract/people/conversations.ts'
import type { TestDevice } from './device.ts'
import { startMessaging } from './messaging.ts'
import { call } from './server.ts'

let count = 0

/** A server, and the calls about conversations. */
export async function startConversations() {
  const messaging = await startMessaging()
  const { server, token } = messaging
  /** A number that no other test uses. */
  const fresh = () => `+3460055${String(++count).padStart(4, '0')}`

  const list = async (query: Record<string, string> = {}, as = token) =>
    (await call(server, contract.listConversations, { token: as, query })).body.conversations
  const read = async (number: string, query: Record<string, string> = {}) =>
    (await call(server, contract.readConversation, { token, params: { number }, query })).body
  const change = (number: string, body: Record<string, unknown>, as = token) =>
    call(server, contract.changeConversation, { token: as, params: { number }, body })
  const answer = (number: string, body: Record<string, unknown>, as = token) =>
    call(server, contract.answerConversation, { token: as, params: { number }, body })
  const inbox = async (query: Record<string, string> = {}, as = token) =>
    (await call(server, contract.listInbox, { token: as, query })).body

  const receive = (device: TestDevice, from: string, text: string, more: Record<string, unknown> = {}) =>
    device.publish('inbox', { id: `sms-${++count}`, from, text, at: new Date().toISOString(), ...more })
  return { ...messaging, fresh, list, read, change, answer, inbox, receive }
}
