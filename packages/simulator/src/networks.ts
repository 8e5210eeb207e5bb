import type { Telemetry } from '@sdd/contract/fleet/telemetry.ts'
import type { Networks, NetworkSim } from '@sdd/contract/fleet/devices.ts'
import { openRandom, type Random } from '#simulator/random.ts'

export type Radios = {
  sims: readonly NetworkSim[]
  snapshot: (at: Date) => Networks
  telemetry: (at: Date) => Telemetry
  /** Changes the signals a little. */
  wobble: () => void
}

type Carrier = { name: string; iccid: string; ssid: (digits: string) => string }

/** ICCIDs begin with 89 (telecom), 34 (Spain) and the issuer's own digits. */
const CARRIERS: readonly [Carrier, ...Carrier[]] = [
  { name: 'Movistar', iccid: '893407', ssid: (digits) => `MOVISTAR_${digits}` },
  { name: 'Vodafone', iccid: '893456', ssid: (digits) => `vodafone${digits}` },
  { name: 'Orange', iccid: '893401', ssid: (digits) => `Orange-${digits}` },
  { name: 'Yoigo', iccid: '893404', ssid: (digits) => `YOIGO_${digits}` },
]

/** The SIMs and the WiFi of a device. They depend only on its uid, so a restart gives the same numbers. */
export function openRadios(uid: string): Radios {
  const random = openRandom(`radios of ${uid}`)
  const carrier = random.pick(CARRIERS)
  const sims = [simOf(random, carrier, 1)]
  if (random.chance(0.25)) sims.push(simOf(random, random.pick(CARRIERS), 2))

  let cellular = random.between([-108, -70])
  let wireless = random.between([-80, -42])
  const band = random.pick(['2.4 GHz', '5 GHz'])
  const wifi = random.chance(0.9) && {
    ssid: carrier.ssid(random.digits(4)),
    band,
    frequency: band === '5 GHz' ? random.pick([5180, 5220, 5500]) : random.pick([2412, 2437, 2462]),
    link_speed: band === '5 GHz' ? random.between([200, 866]) : random.between([24, 144]),
    bssid: Array.from({ length: 6 }, () => random.between([16, 255]).toString(16)).join(':'),
    ip_address: `192.168.1.${random.between([20, 220])}`,
  }

  const battery = { percent: random.between([30, 100]), charging: random.chance(0.7), temperature: 30 }
  const disk_free_mb = random.between([2_000, 60_000])

  return {
    sims,
    snapshot: (at) => ({
      wifi: wifi ? { ...wifi, intensity: wireless, captured_at: at.toISOString() } : null,
      mobile: { intensity: cellular, captured_at: at.toISOString(), sims },
    }),
    telemetry: (at) => ({
      at: at.toISOString(),
      battery: battery.percent,
      charging: battery.charging,
      temperature: battery.temperature,
      disk_free_mb,
      signal_dbm: cellular,
    }),
    wobble() {
      battery.percent = within(15, battery.percent + (battery.charging ? 1 : -1), 100)
      if (battery.percent === 15 || battery.percent === 100) battery.charging = battery.percent === 15
      battery.temperature = within(22, battery.temperature + random.between([-1, 1]), 44)
      cellular = within(-115, cellular + random.between([-4, 4]), -65)
      wireless = within(-88, wireless + random.between([-5, 5]), -35)
    },
  }
}

function simOf(random: Random, carrier: Carrier, slot: number): NetworkSim {
  const iccid = carrier.iccid + random.digits(12)
  return {
    id: slot,
    slot,
    carrier: carrier.name,
    operator_name: carrier.name,
    phone_number: `+346${random.digits(8)}`,
    iccid: iccid + luhnDigit(iccid),
    roaming: random.chance(0.03),
    network_type_label: random.pick(['LTE', 'LTE', 'LTE', '5G NR', 'HSPA+']),
  }
}

/** The check digit of an ICCID (ITU-T E.118, ISO/IEC 7812-1). */
function luhnDigit(digits: string): number {
  let sum = 0
  for (const [i, digit] of [...digits].reverse().entries()) {
    const doubled = i % 2 === 0 ? 2 * Number(digit) : Number(digit)
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return (10 - (sum % 10)) % 10
}

function within(least: number, value: number, most: number): number {
  return Math.min(Math.max(value, least), most)
}
