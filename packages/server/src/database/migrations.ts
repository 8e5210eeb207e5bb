import type { Migration } from '@sdd/storage/migrate.ts'
import { columnTypes } from './column-types.ts'
import {
  addAlertDuty,
  addAlertSms,
  createAlertChannels,
  createAlerts,
  indexAlerts,
} from './creating-alerts.ts'
import { createConversations } from './conversations-begin.ts'
import { createCampaigns, keepCampaignIds } from './creating-campaigns.ts'
import { createContacts, createKeywords } from './creating-contacts.ts'
import { createRouteLists } from './creating-routes.ts'
import { createOrders } from './creating-orders.ts'
import { createSims } from './creating-sims.ts'
import { createSmppDeliveries, createSmppParts } from './creating-smpp.ts'
import { createTelemetry } from './creating-telemetry.ts'
import { createTypedSms } from './creating-typed-sms.ts'
import { foldSearchIndex } from './folded-search.ts'
import { keepIds } from './kept-ids.ts'
import { createInboxSearch } from './inbox-search.ts'
import { moveNumbers } from './moving-numbers.ts'
import { addCarrierSamples } from './carrier-samples.ts'
import { addDeviceSignals } from './device-signals.ts'
import { addDeviceTags } from './device-tags.ts'
import { addLastUses } from './last-uses.ts'
import { addPresenceHistory } from './presence-history.ts'
import { createFirstSchema } from './tables.ts'
import type { Schema, Tx } from './schema.ts'

/** In the order in which they run. A name never changes once it is released. */
export const migrations: readonly Migration<Schema>[] = [
  { name: '0001-first', up: createFirstSchema },
  { name: '0002-folded-search', up: foldSearchIndex },
  { name: '0003-numbers', up: moveNumbers },
  {
    name: '0004-key-classes',
    up: (tx) => addText(tx, 'api_keys', 'classes'),
  },
  { name: '0005-device-signals', up: addDeviceSignals },
  { name: '0006-carrier-samples', up: addCarrierSamples },
  { name: '0007-contacts', up: createContacts },
  {
    name: '0008-sending-hours',
    up: (tx) => addText(tx, 'settings', 'sending_hours'),
  },
  { name: '0009-keywords', up: createKeywords },
  { name: '0010-last-uses', up: addLastUses },
  { name: '0011-conversations', up: createConversations },
  { name: '0012-campaigns', up: createCampaigns },
  { name: '0013-presence-history', up: addPresenceHistory },
  { name: '0014-device-tags', up: addDeviceTags },
  {
    name: '0015-callback-formats',
    async up(tx) {
      await addText(tx, 'callbacks', 'format')
      await addText(tx, 'webhooks', 'format')
      await tx.query(
        `alter table webhooks add column api_key_id ${columnTypes(tx.engine).int} references api_keys(id)`,
      )
    },
  },
  { name: '0016-maintenance', up: (tx) => addText(tx, 'devices', 'maintenance_until') },
  { name: '0017-telemetry', up: createTelemetry },
  { name: '0018-orders', up: createOrders },
  {
    name: '0019-device-attempts',
    async up(tx) {
      await tx.query(`create index attempts_by_device on attempts (device_id, message_id)`)
    },
  },
  { name: '0020-smpp-parts', up: createSmppParts },
  { name: '0021-alerts', up: createAlerts },
  { name: '0022-smpp-deliveries', up: createSmppDeliveries },
  {
    name: '0023-smpp-logins',
    async up(tx) {
      await addText(tx, 'api_keys', 'smpp_system_id')
      await addText(tx, 'api_keys', 'smpp_password_hash')
      await tx.query(`create unique index api_keys_by_system_id on api_keys (smpp_system_id)
        where smpp_system_id is not null`)
    },
  },
  { name: '0024-alert-channels', up: createAlertChannels },
  { name: '0025-sims', up: createSims },
  { name: '0026-alert-indexes', up: indexAlerts },
  { name: '0027-routes', up: createRouteLists },
  { name: '0028-alert-duty', up: addAlertDuty },
  { name: '0029-alert-sms', up: addAlertSms },
  {
    name: '0030-conversation-counts',
    async up(tx) {
      await tx.query('drop index conversations_by_status')
      // With the user, so that those of no user are found and counted in the index.
      await tx.query(`create index conversations_by_status
        on conversations (company_id, status, last_at, id, assigned_to)`)
    },
  },
  { name: '0031-inbox-search', up: createInboxSearch },
  { name: '0032-campaign-ids', up: keepCampaignIds },
  { name: '0033-typed-sms', up: createTypedSms },
  {
    name: '0034-campaign-starts',
    async up(tx) {
      await addText(tx, 'campaigns', 'starting')
      await addText(tx, 'campaigns', 'starting_until')
    },
  },
  { name: '0035-kept-ids', up: keepIds },
]

async function addText(tx: Tx, table: string, column: string): Promise<void> {
  await tx.query(`alter table ${table} add column ${column} ${columnTypes(tx.engine).text}`)
}
