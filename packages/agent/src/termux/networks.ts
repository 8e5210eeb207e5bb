import type { Mobile, Networks, Wifi } from '@sdd/contract/fleet/devices.ts'
import * as z from 'zod/mini'
import type { DriverTelemetry } from '#agent/driver.ts'
import type { Termux } from './commands.ts'

/** `termux-telephony-deviceinfo`; a missing or null field means that the phone does not tell an app. */
export const Phone = z.object({
  network_operator_name: z.optional(z.nullable(z.string())),
  network_type: z.optional(z.nullable(z.string())),
  network_roaming: z.optional(z.nullable(z.boolean())),
  sim_operator_name: z.optional(z.nullable(z.string())),
  sim_serial_number: z.optional(z.nullable(z.string())),
  sim_state: z.optional(z.nullable(z.string())),
})
export type Phone = z.infer<typeof Phone>

/** `termux-telephony-cellinfo`: every visible cell. The phone is registered with one, or with one for each SIM. */
const Cell = z.object({ registered: z.boolean(), dbm: z.optional(z.number()) })

/** `termux-wifi-connectioninfo` */
const Connection = z.object({
  ssid: z.optional(z.string()),
  bssid: z.optional(z.nullable(z.string())),
  ip: z.optional(z.string()),
  frequency_mhz: z.optional(z.number()),
  link_speed_mbps: z.optional(z.number()),
  rssi: z.optional(z.number()),
  supplicant_state: z.optional(z.string()),
})

/** Android's placeholders for an app without the location permission. */
const HIDDEN_SSID = '<unknown ssid>'
const HIDDEN_BSSID = '02:00:00:00:00:00'

export async function readPhone(termux: Pick<Termux, 'ask'>): Promise<Phone> {
  return Phone.parse(await termux.ask('termux-telephony-deviceinfo'))
}

/** The snapshot of the contract; unknown facts are null. */
export async function readNetworks(
  termux: Pick<Termux, 'ask'>,
  { slot, number, at }: { slot: string | undefined; number: string | undefined; at: string },
): Promise<Networks> {
  const [phone, cells, connection] = await Promise.all([
    readPhone(termux).catch(() => undefined),
    termux.ask('termux-telephony-cellinfo').catch(() => []),
    termux.ask('termux-wifi-connectioninfo').catch(() => undefined),
  ])
  const mobile: Mobile | null = phone
    ? {
        intensity: signalOf(cells),
        captured_at: at,
        sims: [
          {
            id: null,
            slot: slot ?? null,
            carrier: phone.sim_operator_name || null,
            operator_name: phone.network_operator_name || null,
            phone_number: number ?? null,
            iccid: phone.sim_serial_number || null,
            roaming: phone.network_roaming ?? null,
            network_type_label: labelOf(phone.network_type),
          },
        ],
      }
    : null
  return { wifi: wifiOf(connection, at), mobile }
}

/** `termux-battery-status`; some versions print the temperature as a text. */
const Battery = z.object({
  percentage: z.optional(z.number()),
  status: z.optional(z.string()),
  temperature: z.optional(z.union([z.number(), z.string()])),
})

/** What the phone says about its battery and its signal. What it does not tell is left out. */
export async function readTelemetry(termux: Pick<Termux, 'ask'>): Promise<DriverTelemetry> {
  const [printed, cells] = await Promise.all([
    termux.ask('termux-battery-status').catch(() => undefined),
    termux.ask('termux-telephony-cellinfo').catch(() => []),
  ])
  const { percentage, status, temperature } = Battery.safeParse(printed).data ?? {}
  const degrees = temperature === undefined ? NaN : Number(temperature)
  const signal_dbm = signalOf(cells)
  return {
    ...(percentage !== undefined && { battery: percentage }),
    ...(status !== undefined && { charging: status === 'CHARGING' || status === 'FULL' }),
    ...(Number.isFinite(degrees) && { temperature: degrees }),
    ...(signal_dbm !== null && { signal_dbm }),
  }
}

/** The signal in dBm of the strongest cell that the phone is registered with. */
function signalOf(cells: unknown): number | null {
  const known = Array.isArray(cells) ? cells.flatMap((cell) => Cell.safeParse(cell).data ?? []) : []
  const signals = known.flatMap(({ registered, dbm }) => (registered && dbm !== undefined ? dbm : []))
  return signals.length > 0 ? Math.max(...signals) : null
}

function labelOf(type: string | null | undefined): string | null {
  return !type || type === 'unknown' ? null : type.toUpperCase()
}

function wifiOf(printed: unknown, at: string): Wifi | null {
  const connection = Connection.safeParse(printed).data
  const { ssid, bssid, ip, frequency_mhz, link_speed_mbps, rssi, supplicant_state } = connection ?? {}
  if (supplicant_state !== 'COMPLETED') return null
  return {
    ssid: ssid === HIDDEN_SSID ? null : (ssid ?? null),
    intensity: rssi ?? null,
    band: bandOf(frequency_mhz),
    frequency: frequency_mhz ?? null,
    link_speed: link_speed_mbps ?? null,
    bssid: bssid === HIDDEN_BSSID ? null : (bssid ?? null),
    ip_address: ip === '0.0.0.0' ? null : (ip ?? null),
    captured_at: at,
  }
}

function bandOf(frequency_mhz: number | undefined): string | null {
  if (frequency_mhz === undefined) return null
  return frequency_mhz < 3_000 ? '2.4 GHz' : frequency_mhz < 5_925 ? '5 GHz' : '6 GHz'
}
