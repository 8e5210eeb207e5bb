import type {
  AlertChannel,
  AlertChannelChange,
  ChannelKind,
  ChannelSettings,
} from '@sdd/contract/outward/alert-channels.ts'
import { type Numbers, requireNumber } from '#server/accounts/settings/numbers.ts'
import { invalidField } from '#server/core/field-faults.ts'
import { newWebhookSecret } from '#server/core/secrets.ts'
import type { AlertChannelRow } from './channels.store.ts'

type Columns = Omit<AlertChannelRow, 'id' | 'company_id' | 'last_at' | 'last_delivered' | 'last_detail'>
type Settings = NonNullable<AlertChannelChange['settings']>
type Needs = { numbers: Pick<Numbers, 'country' | 'kept'>; company_id: number }

/** The fields of each kind. The first of telegram, ntfy, email and sms is who gets the message. */
const FIELDS: Record<ChannelKind, readonly (keyof Settings)[]> = {
  email: ['to'],
  webhook: ['url'],
  telegram: ['chat_id', 'token', 'url'],
  ntfy: ['topic', 'token', 'url'],
  sms: ['to'],
}
const DEFAULT_URLS: Partial<Record<ChannelKind, string>> = {
  telegram: 'https://api.telegram.org',
  ntfy: 'https://ntfy.sh',
}

/** The channel after the change. Throws `invalid` if its parts do not fit together. */
export function channelColumns(
  needs: Needs,
  before: AlertChannelRow | undefined,
  change: AlertChannelChange,
): Columns {
  const { settings = {} } = change
  const kind = before?.kind ?? change.kind
  if (kind === undefined) throw invalidField('kind', 'is required', 'required', {})
  if (change.kind !== undefined && change.kind !== kind)
    throw invalidField('kind', 'of a channel never changes', 'not_one_of', { values: [kind] })
  const name = change.name ?? before?.name
  if (name === undefined) throw invalidField('name', 'is required', 'required', {})
  for (const field of Object.keys(settings) as (keyof Settings)[])
    if (!FIELDS[kind].includes(field) && settings[field] !== undefined)
      throw invalidField(`settings.${field}`, `does not belong to ${kind}`, 'unknown_field', {})
  const url = FIELDS[kind].includes('url') ? (settings.url ?? before?.url ?? DEFAULT_URLS[kind]) : ''
  if (url === undefined) throw invalidField('settings.url', 'is required', 'required', {})
  return {
    kind,
    name,
    url,
    recipient: recipientOf(needs, kind, before, settings),
    token: tokenOf(kind, url, before, settings.token),
    webhook_secret: kind === 'webhook' ? (before?.webhook_secret ?? newWebhookSecret()) : null,
  }
}

/** The settings as they are read. */
export function channelSettings({ kind, url, recipient, token }: AlertChannelRow): ChannelSettings {
  if (kind === 'email') return { to: JSON.parse(recipient!) as string[] }
  if (kind === 'sms') return { to: recipient! }
  if (kind === 'webhook') return { url }
  return { url, [FIELDS[kind][0]!]: recipient!, token_set: token !== null } satisfies AlertChannel['settings']
}

function recipientOf(
  { numbers, company_id }: Needs,
  kind: ChannelKind,
  before: AlertChannelRow | undefined,
  { to, chat_id, topic }: Settings,
): string | null {
  if (kind === 'webhook') return null
  const [field] = FIELDS[kind]
  const known = before?.recipient
  const given = kind === 'telegram' ? chat_id : kind === 'ntfy' ? topic : to
  if (given === undefined) {
    if (known) return known
    throw invalidField(`settings.${field}`, 'is required', 'required', {})
  }
  if (kind === 'sms' && typeof given === 'string')
    return requireNumber(numbers, company_id, given, 'settings.to')
  if (kind === 'email' && typeof given !== 'string') return JSON.stringify([...new Set(given)])
  if (typeof given === 'string' && kind !== 'email') return given
  const why = kind === 'email' ? 'must be a list of e-mail addresses' : 'must be a phone number'
  throw invalidField('settings.to', why, 'bad_format', {})
}

/** A token is for its address: another one must not get it. */
function tokenOf(
  kind: ChannelKind,
  url: string,
  before: AlertChannelRow | undefined,
  given: string | null | undefined,
): string | null {
  const known = before?.token ?? null
  const lost = given === undefined && known !== null && url !== before!.url
  const token = given === undefined ? known : given
  if (lost || (kind === 'telegram' && token === null))
    throw invalidField('settings.token', 'is required', 'required', {})
  return token
}
