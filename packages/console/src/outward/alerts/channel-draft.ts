import {
  AlertChannelChange,
  type AlertChannel,
  type ChannelKind,
} from '@sdd/contract/outward/alert-channels.ts'
import { alertDialogs as words } from './dialog-text.ts'

/** A channel as typed. */
export type ChannelDraft = {
  kind: ChannelKind
  name: string
  /** Addresses of `email`, separated by commas, or the number of `sms`. */
  to: string
  url: string
  chat_id: string
  topic: string
  /** Empty: the stored one stays. */
  token: string
  /** The stored token goes. */
  tokenless: boolean
}

type Settings = NonNullable<AlertChannelChange['settings']>

export function channelDraftOf(channel: AlertChannel | undefined): ChannelDraft {
  const { to = '', url = '', chat_id = '', topic = '' } = channel?.settings ?? {}
  return {
    kind: channel?.kind ?? 'email',
    name: channel?.name ?? '',
    to: typeof to === 'string' ? to : to.join(', '),
    url,
    chat_id,
    topic,
    token: '',
    tokenless: false,
  }
}

/** The server of a kind whose address is left empty. */
export const usualUrls = { telegram: 'https://api.telegram.org', ntfy: 'https://ntfy.sh' }

/** Only the fields of the kind. An unchanged address is left out. */
export function channelSettingsOf(draft: ChannelDraft, before: AlertChannel | undefined): Settings {
  const { kind, tokenless } = draft
  const [url, token] = [draft.url.trim(), draft.token.trim()]
  if (kind === 'email')
    return {
      to: draft.to.split(/[,;\s]+/).filter(Boolean),
    }
  if (kind === 'sms') return { to: draft.to.trim() }
  const addressed = (url: string | undefined) => (url && url !== before?.settings.url ? { url } : {})
  if (kind === 'webhook') return addressed(url)
  return {
    // A field that is left out would keep the address that was emptied.
    ...addressed(url || (before && usualUrls[kind])),
    ...(kind === 'telegram' ? { chat_id: draft.chat_id.trim() } : { topic: draft.topic.trim() }),
    ...(token !== '' ? { token } : tokenless && { token: null }),
  }
}

/** The errors, by the name of the field. */
export function channelFaults(
  draft: ChannelDraft,
  before: AlertChannel | undefined,
): Record<string, string | undefined> {
  const { kind, name } = draft
  const sent = channelSettingsOf(draft, before)
  const refused = AlertChannelChange.safeParse({ name, settings: sent }).error?.issues ?? []
  const wrong = (field: string) => refused.some(({ path }) => `${path.join('.')}.`.startsWith(`${field}.`))
  const missingUrl = kind === 'webhook' && draft.url.trim() === ''
  const missingToken = kind === 'telegram' && sent.token === undefined && !before?.settings.token_set
  return {
    name: wrong('name') ? words.nameWrong : undefined,
    'settings.to': !wrong('settings.to')
      ? undefined
      : kind === 'email'
        ? words.emailsWrong
        : words.numberWrong,
    'settings.chat_id': wrong('settings.chat_id') ? words.chatWrong : undefined,
    'settings.topic': wrong('settings.topic') ? words.topicWrong : undefined,
    'settings.token': wrong('settings.token') || missingToken ? words.tokenWrong : undefined,
    'settings.url': wrong('settings.url') || missingUrl ? words.urlWrong : undefined,
  }
}
