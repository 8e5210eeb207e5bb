import { recipientStore } from '#server/dispatch/lanes/store.ts'
import { countFor } from '#server/fleet/devices/capacity.store.ts'
import { inboxStore } from '#server/messages/inbox/store.ts'
import {
  type KeptMessages,
  openKeptMessages,
  type SubmittedMessage,
} from '#server/messages/messages/kept-messages.ts'
import { messagesByGuids } from '#server/messages/messages/reported.store.ts'
import { attemptStore, changeMessage, messageStore } from '#server/messages/messages/store.ts'
import { DAY_AGO, HOUR_AGO, keysOf, NOW, numberOf } from './hot-rows.ts'
import { type HotStatement, OURS } from './hot-statement.ts'

export const report: HotStatement[] = [
  {
    name: 'Look up 50 messages that devices have',
    writing: true,
    run: (tx, { given }) => messagesByGuids(tx, keysOf(given.slice(0, 50)), openKeptMessages()),
    uses: ['devices_pkey', 'in_flight_pkey', 'messages_by_guid', 'sims_pkey'],
  },
  {
    name: 'Look up 10 messages that devices have, and this server has handed over',
    writing: true,
    run: (tx, { given_messages }) =>
      messagesByGuids(
        tx,
        given_messages.map(({ company_id, guid }) => [company_id, guid]),
        withAll(given_messages),
      ),
    uses: ['devices_pkey', 'in_flight_pkey', 'sims_pkey'],
  },
  {
    name: 'Look up 50 messages that have ended lately',
    writing: true,
    run: (tx, { ended }) => messagesByGuids(tx, keysOf(ended.slice(-50)), openKeptMessages()),
    uses: ['devices_pkey', 'in_flight_pkey', 'messages_by_guid', 'outcomes_pkey', 'sims_pkey'],
  },
  {
    name: 'Look up a message that waits, or ended long ago, in all places',
    writing: true,
    run: (tx, { waiting, ended }) =>
      messagesByGuids(tx, keysOf([waiting[0]!, ended[0]!]), openKeptMessages()),
    uses: ['devices_pkey', 'in_flight_pkey', 'messages_by_guid', 'outcomes_pkey', 'queue_pkey', 'sims_pkey'],
  },
  {
    name: 'Look up the attempts of 10 messages',
    writing: true,
    run: (tx, { ended_messages }) => attemptStore(tx).ofMessages(ended_messages.map(({ id }) => id)),
    uses: ['attempts_pkey', 'devices_pkey', 'sims_pkey'],
  },
  {
    name: 'Note that 10 messages were accepted',
    writing: true,
    async run(tx, { given_messages }) {
      for (const message of given_messages) await changeMessage(tx, message, { handed_timestamp: NOW })
    },
    uses: ['in_flight_pkey'],
  },
  {
    name: 'End 10 messages that were delivered',
    writing: true,
    async run(tx, { sent_messages }) {
      const delivered = { state: 'delivered', attempt_state: 'delivered', answer_2_timestamp: NOW } as const
      for (const message of sent_messages) await changeMessage(tx, message, delivered)
    },
    uses: ['in_flight_pkey'],
  },
  {
    name: 'Change 10 messages that have ended',
    writing: true,
    async run(tx, { ended_messages }) {
      for (const message of ended_messages)
        await changeMessage(tx, message, { answer_3: 'Thank you', answer_3_timestamp: NOW })
    },
    uses: ['outcomes_pkey'],
  },
  {
    name: 'Remember the device that wrote to a number',
    writing: true,
    run: (tx, { sent, devices }) => recipientStore(tx, 1).remember(numberOf(sent[0]!), devices[0]!, NOW),
    uses: [],
  },
  {
    name: 'Free a place in the windows of 10 devices',
    writing: true,
    async run(tx, { devices }) {
      for (const id of devices.slice(0, 10)) await countFor(tx, id, 'unfinished', -1)
    },
    uses: ['capacity_pkey'],
  },
  {
    name: 'Look for early replies to 10 devices',
    writing: true,
    run: (tx, { devices }) =>
      inboxStore(tx).answeringNothing(
        devices.slice(0, 10).map((device_id) => ({ company_id: 1, device_id, since: HOUR_AGO })),
      ),
    uses: ['inbox_unanswering'],
  },
  {
    name: 'Look up the message that an SMS replies to',
    writing: true,
    run: (tx, { ended_messages: [message] }) =>
      messageStore(tx, OURS).sentTo(message!.device_id!, message!.message_to, DAY_AGO),
    uses: ['devices_pkey', 'in_flight_by_device', 'messages_by_number', 'messages_pkey', 'outcomes_pkey'],
  },
]

function withAll(messages: readonly SubmittedMessage[]): KeptMessages {
  const keptMessages = openKeptMessages()
  for (const message of messages) keptMessages.keep(message)
  return keptMessages
}
