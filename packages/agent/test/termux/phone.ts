import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder } from '#test/agents.ts'

const STAND_IN = join(import.meta.dirname, 'stand-in.mjs')
const COMMANDS =
  'sms-send sms-list telephony-deviceinfo telephony-cellinfo wifi-connectioninfo battery-status'.split(' ')

type StoredSms = { _id: number; type: string; address: string; received: string; body: string }

/** How the phone behaves; see stand-in.mjs. */
type PhoneState = {
  device: Record<string, unknown>
  cells: unknown
  wifi: unknown
  battery: unknown
  /** The list in which a sent message appears; absent: in none. */
  lists?: 'sent' | 'failed'
  denied?: string[]
  hangs?: string[]
}

type TestPhone = {
  be: (state: Partial<PhoneState>) => void
  /** The ICCID that it tells. */
  beSim: (sim_serial_number: string) => void
  store: (sms: StoredSms[]) => void
  stored: () => StoredSms[]
  /** The messages that went on air. */
  air: () => { to: string; slot?: string; body: string }[]
  calls: () => string[]
}

const WELL: PhoneState = {
  lists: 'sent',
  device: {
    data_enabled: 'true',
    device_id: null,
    phone_count: 2,
    phone_type: 'gsm',
    network_operator: '21407',
    network_operator_name: 'Movistar',
    network_country_iso: 'es',
    network_type: 'lte',
    network_roaming: false,
    sim_country_iso: 'es',
    sim_operator: '21407',
    sim_operator_name: 'O2',
    sim_serial_number: null,
    sim_subscriber_id: null,
    sim_state: 'ready',
  },
  cells: [
    { type: 'lte', registered: false, asu: 20, dbm: -70, level: 4 },
    { type: 'lte', registered: true, asu: 35, dbm: -105, level: 2, mcc: 214, mnc: 7 },
  ],
  battery: {
    present: true,
    health: 'GOOD',
    plugged: 'UNPLUGGED',
    status: 'DISCHARGING',
    temperature: '22.3',
    percentage: 85,
  },
  wifi: {
    bssid: 'aa:bb:cc:dd:ee:ff',
    frequency_mhz: 5180,
    ip: '192.168.1.20',
    link_speed_mbps: 433,
    mac_address: '02:00:00:00:00:00',
    network_id: 1,
    rssi: -58,
    ssid: 'Oficina',
    ssid_hidden: false,
    supplicant_state: 'COMPLETED',
  },
}

/** A phone whose commands are on this process's PATH until the test ends. */
export function usePhone(t: TestContext): TestPhone {
  const folder = temporaryFolder(t)
  const bin = join(folder, 'bin')
  const lines = (name: string): string[] =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean) : []
  mkdirSync(bin)
  for (const command of COMMANDS.map((name) => `termux-${name}`)) {
    // Not exec: as in the package, the script waits for its child process.
    writeFileSync(
      join(bin, command),
      `#!/bin/sh\n'${process.execPath}' '${STAND_IN}' '${folder}' ${command} "$@"\nexit $?\n`,
    )
    chmodSync(join(bin, command), 0o755)
  }
  const before = process.env.PATH
  process.env.PATH = `${bin}:${before}`
  t.after(() => (process.env.PATH = before))
  const phone: TestPhone = {
    be: (state) => writeFileSync(join(folder, 'phone.json'), JSON.stringify({ ...WELL, ...state })),
    beSim: (sim_serial_number) => phone.be({ device: { ...WELL.device, sim_serial_number } }),
    store: (sms) => writeFileSync(join(folder, 'sms.json'), JSON.stringify(sms)),
    stored: () => JSON.parse(readFileSync(join(folder, 'sms.json'), 'utf8')) as StoredSms[],
    air: () => lines('air').map((line) => JSON.parse(line) as { to: string; body: string }),
    calls: () => lines('calls'),
  }
  phone.be({})
  phone.store([])
  return phone
}
