import { queueHeads } from '#server/dispatch/lanes/store.ts'
import {
  capacityStore,
  tagsByDevice,
  changeCapacity,
  lanesToServe,
} from '#server/fleet/devices/capacity.store.ts'
import { giveMessages } from '#server/messages/messages/store.ts'
import { REPLICA } from './hot-data.ts'
import { NOW, simOf } from './hot-rows.ts'
import { type HotStatement } from './hot-statement.ts'

export const claim: HotStatement[] = [
  {
    name: 'Look for lanes with tasks',
    writing: false,
    run: (tx) => lanesToServe(tx),
    uses: [],
    whole: ['lanes'],
  },
  {
    name: 'Look up the devices with one of two SIMs',
    writing: false,
    run: (tx, { devices }) =>
      capacityStore(tx).withSim(
        1,
        devices.slice(0, 2).map((id) => simOf(id)),
      ),
    uses: ['device_sims_by_number'],
  },
  {
    name: 'Look up the devices with a tag',
    writing: false,
    run: (tx) => capacityStore(tx).withTag(1, 't1'),
    uses: ['device_tags_by_tag'],
  },
  {
    name: 'Hold the capacity of 50 devices, and read it',
    writing: true,
    run: (tx, { devices }) => capacityStore(tx).hold(devices.slice(0, 50), REPLICA, NOW),
    uses: ['capacity_pkey', 'device_sims_pkey', 'devices_pkey', 'sims_by_device'],
  },
  {
    name: 'Read the head of the lane for any device',
    writing: true,
    run: (tx) => queueHeads(tx, 1, NOW).ofLane('', 100),
    uses: ['queue_by_lane', 'messages_pkey'],
  },
  {
    name: 'Read the head of a device’s lane',
    writing: true,
    run: (tx, { devices }) => queueHeads(tx, 1, NOW).ofLane(`device:${devices[3]}`, 30),
    uses: ['queue_by_lane', 'messages_pkey'],
  },
  {
    name: 'Read the messages that wait for a device',
    writing: true,
    run: (tx, { devices }) => queueHeads(tx, 1, NOW).ofDevice(devices[0]!, 30),
    uses: ['queue_by_device', 'messages_pkey'],
  },
  {
    name: 'Read the tags of 100 devices',
    writing: true,
    run: (tx, { devices }) => tagsByDevice(tx, devices.slice(0, 100)),
    uses: ['device_tags_pkey'],
  },
  {
    name: 'Look whether a device with a tag could send now',
    writing: true,
    run: (tx) =>
      capacityStore(tx).couldNow({
        but: 0,
        company_id: 1,
        parts: 1,
        sim: undefined,
        tag: 'north',
        now: NOW,
        day: NOW.slice(0, 10),
      }),
    uses: ['capacity_pkey', 'device_tags_by_tag', 'devices_pkey', 'sims_by_device'],
  },
  {
    name: 'Give 10 messages to devices',
    writing: true,
    run: (tx, { waiting_messages, devices }) =>
      giveMessages(
        tx,
        waiting_messages.map((message, place) => ({
          message,
          device_id: devices[place]!,
          attempt: 1,
          assigned_at: NOW,
          look_at: NOW,
          notes: null,
          sim_id: null,
        })),
      ),
    uses: ['queue_pkey'],
  },
  {
    name: 'Change the capacity of 10 devices',
    writing: true,
    async run(tx, { devices }) {
      for (const id of devices.slice(0, 10))
        await changeCapacity(tx, id, { unfinished: 1, sent_parts: 1, last_given_at: NOW, next_slot_at: NOW })
    },
    uses: ['capacity_pkey'],
  },
]
