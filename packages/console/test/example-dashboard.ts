import type { Dashboard, DashboardHour } from '@sdd/contract/insight/dashboard.ts'
import { NOW } from './examples.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/** A day of 248 devices: a carrier failed at 16:00 and recovered before 18:00; something fails again since 20:00. */
export function exampleDashboard(): Dashboard {
  return {
    at: iso(NOW),
    devices: { total: 248, connected: 231, disconnected: 17, disabled: 3 },
    connected: Array.from({ length: 288 }, (_, n) => {
      const at = Math.floor(NOW / (5 * MINUTE_MS)) * 5 * MINUTE_MS - (287 - n) * 5 * MINUTE_MS
      const down = hourOf(at) >= 16 && hourOf(at) < 18
      return { at: iso(at), connected: (down ? 149 : 236) + ((n * 7) % 9), total: 248 }
    }),
    carriers: [
      { carrier: 'Movistar', connected: 118, total: 121, hours: shares(0.98, 0.97) },
      { carrier: 'Orange', connected: 84, total: 87, hours: shares(0.97, 0.02) },
      { carrier: 'Vodafone', connected: 27, total: 27, hours: shares(1, 1) },
      { carrier: null, connected: 2, total: 13, hours: shares(0.15, 0.15) },
    ],
    away: {
      count: 14,
      devices: Array.from({ length: 10 }, (_, n) => ({
        device_uid: `drone-${String(n * 17 + 3).padStart(4, '0')}`,
        since: iso(NOW - (100 - 9 * n) * HOUR_MS),
      })),
    },
    hours: Array.from({ length: 48 }, (_, n) => exampleHour(n)),
    times: { handover: { p50_secs: 0.8, p95_secs: 4.2 }, delivery: { p50_secs: 3.6, p95_secs: 84 } },
    by_device: Array.from({ length: 10 }, (_, n) => ({
      device_uid: `drone-${String(n * 11 + 5).padStart(4, '0')}`,
      sent: 900 - n * 71,
      delivered: Math.round((900 - n * 71) * (0.99 - n * 0.004)),
      failed: [371, 122, 61, 22, 14, 9, 6, 3, 1, 0][n] ?? 0,
    })),
    failures: [
      { code: 'no_network', count: 612, last_at: iso(NOW - 2 * MINUTE_MS) },
      { code: '38', count: 287, last_at: iso(NOW - 9 * MINUTE_MS) },
      { code: 'timeout', count: 164, last_at: iso(NOW - 64 * MINUTE_MS) },
      { code: 'unknown_outcome', count: 45, last_at: iso(NOW - 241 * MINUTE_MS) },
    ],
    waiting: [
      { reason: 'device_offline', count: 204, devices: 9 },
      { reason: 'daily_limit', count: 61, devices: 2 },
      { reason: 'pacing', count: 41, devices: 33 },
      { reason: 'next', count: 6, devices: 6 },
    ],
    limits: [
      { device_uid: 'drone-0016', sent_today: 1000, max_sms_dayly: 1000 },
      { device_uid: 'drone-0049', sent_today: 500, max_sms_dayly: 500 },
      { device_uid: 'drone-0102', sent_today: 871, max_sms_dayly: 1000 },
    ],
  }
}

function exampleHour(n: number): DashboardHour {
  const from = Math.floor(NOW / HOUR_MS) * HOUR_MS - (47 - n) * HOUR_MS
  const hour = hourOf(from)
  const today = n >= 24
  const usual = 1_800 + 9_000 * bump(hour, 11, 3) + 10_500 * bump(hour, 18, 3.5)
  const outage = today && (hour === 16 || hour === 17)
  const whole = n === 47 ? 0.53 : 1
  const total = Math.round(
    usual * whole * (today ? 1.06 : 1) * (outage ? 0.6 : 1) * (1 + ((n * 37) % 11) / 150),
  )
  const failed = Math.round(total * (outage ? 0.14 : today && hour >= 20 ? 0.11 : 0.005))
  const sent = Math.round(total * (today ? 0.02 : 0.012))
  const queued = n === 47 ? 312 : n === 46 ? 64 : 0
  const replied = Math.round(total * 0.03)
  const delivered = total - failed - sent - queued - replied
  return {
    hour: iso(from),
    states: {
      queued,
      handed: n === 47 ? 18 : 0,
      sent,
      delivered,
      replied,
      failed,
      uncertain: today ? n % 3 : 0,
      expired: 0,
      cancelled: n % 9 === 4 ? 12 : 0,
    },
  }
}

/** The connected share of a carrier in each hour; two hours ago its network failed. */
function shares(usual: number, failed: number): (number | null)[] {
  return Array.from({ length: 24 }, (_, n) =>
    n < 2 ? null : hourOf(NOW - (23 - n) * HOUR_MS) === 16 ? failed : usual,
  )
}

function bump(hour: number, at: number, width: number): number {
  return Math.exp(-(((hour - at) / width) ** 2))
}

function hourOf(ms: number): number {
  return new Date(ms).getUTCHours()
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
