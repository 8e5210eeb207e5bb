import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import {
  Bell,
  BookUser,
  CirclePause,
  CirclePlay,
  KeyRound,
  Link2,
  LogOut,
  Palette as PaletteIcon,
  Search,
  Send,
  Settings2,
  Smartphone,
  UserPlus,
  UserRound,
} from 'lucide-react'
import { holds } from '@sdd/contract/core/roles.ts'
import type { ReactNode } from 'react'
import { signOut } from '#console/accounts/auth/sign-out.ts'
import { logs } from '#console/insight/log/text.ts'
import { menu } from './text.ts'
import { palette as words } from './palette-text.ts'
import { canAlert, switchAlerts, useAlerts } from './alert-choice.ts'
import { alerts as alertWords } from './alert-text.ts'
import { sending } from './sending-text.ts'
import { globalSettingsQuery, useReadsConversations } from '#console/accounts/settings/settings.ts'
import { searchForRef, refOf } from '#console/messages/messages/message-ref.ts'
import { text } from '#console/core/text.ts'
import { useRole } from '#console/core/use-role.ts'
import { devicesQuery } from '#console/fleet/devices/devices.ts'
import { findDevices } from '#console/fleet/devices/find.ts'
import { foundQuery, messageStateOf } from '#console/insight/log/log.ts'
import { tabsFor, type SettingsTab } from '#console/app/settings/tabs.ts'
import { screens } from './menu.tsx'
import { foldText } from '#console/ui/fold.ts'
import { MarkIcon } from '#console/ui/marks.tsx'
import { setTheme, useTheme } from '#console/ui/theme.ts'
import { shortTime } from '#console/ui/time.ts'
import { useDebounced } from '#console/ui/use-debounced.ts'
import { messageStateMarks } from '#console/messages/outcomes/outcomes.ts'

export type PaletteEntry = {
  /** Unique among the shown entries. */
  id: string
  icon: ReactNode
  label: string
  /** Further words that find it, in Spanish and English. */
  also?: string
  /** Shown next to an ambiguous label. */
  detail?: string
  mono?: boolean
  run: () => void
}

export type PaletteGroup = { name: string; entries: PaletteEntry[] }

const MOST_DEVICES = 5
const MOST_SENDERS = 3
/** From this many letters on, a pause in typing starts a search on the server. */
const LEAST_LETTERS = 3
const REST_MS = 250

const icon = { className: 'size-4 shrink-0 text-muted', strokeWidth: 1.75, 'aria-hidden': true } as const

/** The palette's entries for the typed text. `search` is the state of the search on the server. */
export function useEntries(
  typed: string,
  onSwitch: (what: 'stop' | 'resume') => void,
): { groups: PaletteGroup[]; search: 'idle' | 'busy' | 'failed' } {
  const wanted = typed.trim()
  const asked = useDebounced(wanted, REST_MS)
  const asks = asked.length >= LEAST_LETTERS
  // Uses the cached list at any age, as it is live; loads it only if there is none.
  const { data: devices = [] } = useQuery({ ...devicesQuery, staleTime: Infinity })
  const found = useQuery({ ...foundQuery(asked), enabled: asks })
  const { data: records } = useQuery(globalSettingsQuery)
  const navigate = useNavigate()
  const theme = useTheme()
  const role = useRole()
  const matching = wanted === '' ? [] : findDevices(devices, wanted)

  const reads = useReadsConversations()
  const shownScreens = screens.filter(({ name }) => reads || name !== 'conversations')
  const screenEntries = shownScreens.map(({ to, name, Icon }) => ({
    id: to,
    icon: <Icon {...icon} />,
    label: menu[name],
    also: aliases[name],
    run: () => void navigate({ to }),
  }))
  // Only if something was typed: otherwise the Settings screen itself is offered.
  const tabEntries = (wanted === '' ? [] : tabsFor(role)).flatMap(({ tab, label }) =>
    tab === 'global'
      ? []
      : {
          id: `settings ${tab}`,
          icon: <Settings2 {...icon} />,
          label,
          also: tabAliases[tab],
          detail: menu.settings,
          run: () => void navigate({ to: '/settings', search: { tab } }),
        },
  )
  const templateEntries =
    wanted === ''
      ? []
      : [
          {
            id: 'templates',
            icon: <BookUser {...icon} />,
            label: words.templates,
            also: 'plantillas templates textos',
            detail: menu.contacts,
            run: () => void navigate({ to: '/contacts', search: { tab: 'templates' } }),
          },
        ]
  const deviceEntries = matching.slice(0, MOST_DEVICES).map(({ uid, status, location }) => ({
    id: `device ${uid}`,
    icon: <Smartphone {...icon} />,
    label: uid,
    detail: [text.deviceStatus[status], location].filter(Boolean).join(' · '),
    mono: true,
    run: () => void navigate({ to: '/devices', search: { search: uid, open: uid } }),
  }))
  const messageEntries = ((asks && found.data) || []).map((row) => {
    const state = messageStateOf(row)
    return {
      id: `message ${row.id}`,
      icon: (
        <span className={`grid size-4 shrink-0 place-items-center ${messageStateMarks[state].color}`}>
          <MarkIcon mark={messageStateMarks[state].mark} label={logs.states[state]} />
        </span>
      ),
      label: row.message_to,
      detail: `${shortTime(row.queue_timestamp ?? '')} · ${row.guid.startsWith(asked) ? row.guid : row.message}`,
      mono: true,
      run: () => void navigate({ to: '/logs', search: { search: asked, ...searchForRef(refOf(row)) } }),
    }
  })
  const all = {
    id: 'messages',
    icon: <Search {...icon} />,
    label: words.allMessages(wanted),
    run: () => void navigate({ to: '/logs', search: { search: wanted } }),
  }
  const senders = matching.filter(({ status }) => status === 'connected').slice(0, MOST_SENDERS)
  const alerted = { device: useAlerts('device'), message: useAlerts('message'), sms: useAlerts('sms') }
  const sends = records?.[0]?.send_enabled
  const actions = [
    holds(role, 'devices:manage') && {
      id: 'link',
      icon: <Link2 {...icon} />,
      label: words.link,
      also: 'link device vincular enlazar dispositivo nuevo',
      run: () => void navigate({ to: '/devices', search: { link: 'new' } }),
    },
    holds(role, 'settings:write') &&
      sends !== undefined && {
        id: 'switch sending',
        icon: sends ? <CirclePause {...icon} /> : <CirclePlay {...icon} />,
        label: sends ? sending.stop : sending.resume,
        also: 'parar detener envio stop pause sending resume reanudar emergencia',
        run: () => onSwitch(sends ? 'stop' : 'resume'),
      },
    holds(role, 'keys:manage') && {
      id: 'new key',
      icon: <KeyRound {...icon} />,
      label: words.newKey,
      also: 'api key clave crear nueva new',
      run: () => void navigate({ to: '/settings', search: { tab: 'api-keys', open: 'new' } }),
    },
    holds(role, 'users:manage') && {
      id: 'new user',
      icon: <UserPlus {...icon} />,
      label: words.newUser,
      also: 'usuario nuevo crear anadir add new user',
      run: () => void navigate({ to: '/users', search: { edit: 'new' } }),
    },
    ...(['light', 'dark', 'system'] as const)
      .filter((other) => other !== theme)
      .map((other) => ({
        id: `theme ${other}`,
        icon: <PaletteIcon {...icon} />,
        label: words.theme(menu.themes[other]),
        also: 'tema theme color',
        run: () => setTheme(other),
      })),
    ...(['device', 'message', 'sms'] as const).map(
      (kind) =>
        canAlert() &&
        (kind !== 'sms' || reads) && {
          id: `alerts ${kind}`,
          icon: <Bell {...icon} />,
          label: alerted[kind] ? alertWords[kind].switchOff : alertWords[kind].switchOn,
          also: 'avisos notificaciones notifications alerts',
          run: () => void switchAlerts(kind, !alerted[kind]),
        },
    ),
    {
      id: 'account',
      icon: <UserRound {...icon} />,
      label: menu.account,
      also: 'cuenta account contrasena password idioma language',
      run: () => void navigate({ to: '/account' }),
    },
    {
      id: 'logout',
      icon: <LogOut {...icon} />,
      label: menu.logout,
      also: 'cerrar sesion salir log out',
      run: leave,
    },
  ].filter((action) => action !== false)

  function leave(): void {
    signOut()
    void navigate({ to: '/' })
  }

  const sendEntries = senders.map(({ uid }) => ({
    id: `send ${uid}`,
    icon: <Send {...icon} />,
    label: words.sendThrough(uid),
    run: () => void navigate({ to: '/devices', search: { search: uid, send: uid } }),
  }))
  const screensFound = {
    name: words.screens,
    entries: named([...screenEntries, ...tabEntries, ...templateEntries], wanted),
  }
  const actionsFound = { name: words.actions, entries: [...sendEntries, ...named(actions, wanted)] }
  const devicesFound = { name: words.devices, entries: deviceEntries }
  // An action whose label has the text comes before screens that are only known by it under another name.
  const actionFirst = actionsFound.entries.some(hasLabel) && !screensFound.entries.some(hasLabel)
  function hasLabel({ label }: PaletteEntry): boolean {
    return foldText(label).includes(foldText(wanted))
  }
  const groups = [
    ...(actionFirst
      ? [devicesFound, actionsFound, screensFound]
      : [screensFound, devicesFound, actionsFound]),
    // Last, so that results from the server do not move the other groups.
    {
      name: words.messages,
      entries: wanted.length >= LEAST_LETTERS ? [...messageEntries, all] : messageEntries,
    },
  ]
  const resting = wanted === asked && !found.isFetching
  return {
    groups: groups.filter(({ entries }) => entries.length > 0),
    search: wanted.length < LEAST_LETTERS ? 'idle' : !resting ? 'busy' : found.isError ? 'failed' : 'idle',
  }
}

/** The entries whose label contains the text, or with a further word that begins with it. The former are first. */
function named<Named extends { label: string; also?: string }>(
  entries: readonly Named[],
  wanted: string,
): Named[] {
  const part = foldText(wanted)
  const byLabel = entries.filter(({ label }) => foldText(label).includes(part))
  const byWord = entries.filter(
    (entry) => !byLabel.includes(entry) && ` ${entry.also ?? ''}`.includes(` ${part}`),
  )
  return [...byLabel, ...byWord]
}

/** Words that find a screen whatever the language of its label. */
const aliases = {
  dashboard: 'resumen panel inicio dashboard',
  conversations: 'conversaciones mensajes recibidos bandeja inbox conversations',
  devices: 'dispositivos equipos moviles devices',
  sms: 'enviar sms mensaje send',
  routes: 'rutas reglas grupos routes rules',
  campaigns: 'campanas envios campaigns',
  contacts: 'contactos agenda personas contacts people',
  users: 'usuarios personas users',
  logs: 'registros registro mensajes logs',
  tasks: 'tareas running tasks',
  settings: 'ajustes configuracion settings',
} as const

const tabAliases: Partial<Record<SettingsTab, string>> = {
  devices: 'limites por dispositivo device limits',
  'api-keys': 'claves de api keys',
  callbacks: 'webhooks avisos callbacks',
  'opt-outs': 'bajas bloqueados opt-outs',
  keywords: 'palabras clave respuestas automaticas keywords',
  alerts: 'alertas avisos canales guardia alerts channels',
  destinations: 'destinos prefijos destinations',
  quotas: 'cuotas quotas',
  audit: 'auditoria cambios',
}
