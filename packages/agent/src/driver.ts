import type { Telemetry } from '@sdd/contract/fleet/telemetry.ts'
import type { Networks } from '@sdd/contract/fleet/devices.ts'

/**
 * Sends and receives the SMS of one device: a modem or a phone. It stores nothing on disk. It hands everything that
 * must survive a restart to its `Keeper`, and waits.
 */
export type Driver = {
  /** A name for people: `modem /dev/serial/by-id/…`. */
  readonly name: string
  /** True if delivery reports can arrive, else the reason why not. Logged once at the start, and shown by `doctor`. */
  readonly delivery_reports: true | string
  /**
   * Sends one message, all its parts in order. Never rejects: every failure is an outcome. The caller sends one message
   * at a time. Awaits `onAir` before anything may go on air, and `partSent` after each part that the network accepts.
   */
  send: (message: Outgoing, progress: SendProgress) => Promise<Outcome>
  /** The current networks. A fact that the device cannot know is null. */
  networks: () => Promise<Networks>
  /** What it knows about its battery, temperature and signal. Absent if it knows nothing. */
  telemetry?: () => Promise<DriverTelemetry>
  /** Dials a USSD code once. Never rejects, and settles within the time. Absent if the driver cannot dial. */
  dial?: (code: string, within_ms: number) => Promise<Done>
  /**
   * Restarts the radio, after the message on air, and waits until it is ready again. Never rejects, and settles within
   * the time. Absent if the driver cannot do that.
   */
  restart?: (within_ms: number) => Promise<Done>
  /** Uses these settings of `DriverKind` from now on; only those with `byOrder` differ. Absent if there are none. */
  configure?: (settings: Readonly<Record<string, string>>) => void
  /** The current state of the radio. */
  radio: () => RadioState
  /** Finishes or abandons the current work, and closes the port. */
  close: () => Promise<void>
}

/** What became of an order. `code`: `no_network`, `timeout`, `busy`, `refused` or `modem_error`. */
export type Done =
  | { readonly ok: true; readonly output: string }
  | { readonly ok: false; readonly code: string; readonly detail: string }

export type DriverTelemetry = Omit<Telemetry, 'at' | 'disk_free_mb'>

export type Outgoing = {
  readonly guid: string
  readonly attempt: number
  readonly to: string
  readonly text: string
  /** The number of the SIM to send from, if the device has several. */
  readonly from?: string
  /** The SIM to send with, whatever its number. */
  readonly iccid?: string
  /** Request no delivery report from the network. */
  readonly silent?: boolean
  /** ISO 8601. It must not go on air from then on. `onAir` checks it; a driver that hands it on must pass it on. */
  readonly expires_at?: string
}

export type SendProgress = {
  /**
   * Settles once the `sending` state is on disk. Rejects if it cannot be stored, or if the message was cancelled or has
   * expired: then nothing may go on air.
   */
  onAir: () => Promise<void>
  /**
   * The network accepted part `n` (from 1) of `of`. `reference` is the reference of its delivery report as text (a
   * modem's TP-MR, a phone app's id), or null if there will be no report.
   */
  partSent: (part: { n: number; of: number; reference: string | null }) => Promise<void>
}

export type Outcome =
  | { readonly state: 'sent'; readonly parts: number; readonly sim?: string }
  | {
      readonly state: 'failed'
      /** `no_network`, `modem_error`, `timeout`, `unknown_outcome`, `invalid_number`, … (docs/device-protocol.md). */
      readonly code: string
      /** One sentence that includes the modem's answer. */
      readonly detail: string
      /** A retry will not help. */
      readonly block: boolean
      /** The number of parts that the network accepted before the failure. */
      readonly parts: number
      readonly sim?: string
    }

/** The outcome of a message that names a SIM which the device does not have. */
export function withoutSim(iccid: string): Outcome {
  return failed('modem_error', `This device does not have the SIM ${iccid}`)
}

/** The outcome of a message of which no part is known to have gone out. */
export function failed(code: string, detail: string, block = false): Outcome {
  return { state: 'failed', code, detail, block, parts: 0 }
}

/**
 * Stores everything that arrives. Each call settles once the data is on disk; only then may the SIM's copy be deleted.
 */
export type Keeper = {
  received: (sms: ReceivedSms) => Promise<void>
  /** From when on the device's list of sent SMS is read: a little before the last look, or now at the first. */
  typedSince: () => Promise<string>
  /** SMS that the device lists as sent, oldest first. The keeper leaves out those that this agent sent. */
  typed: (list: readonly ListedSms[]) => Promise<void>
  /** One part of a long SMS. The keeper joins the parts. */
  receivedPart: (part: ReceivedPart) => Promise<void>
  /** A delivery report. `to` is the number as the report spells it, which can differ from the dialled form. */
  delivery: (report: DeliveryReport) => Promise<void>
  /** The networks or the radio's state changed. */
  changed: () => void
}

type SmsId = {
  /** The same each time the same SMS is read. */
  id: string
  /** The id that an earlier version gave it. */
  former_id?: string
}

type ListedSms = SmsId & { to: string; text: string; at: string }

/** A whole SMS, or a part of a long one. */
type ReceivedSms = SmsId & {
  from: string
  text: string
  at: string
  sim?: string
  /** The network gave it no time, so a later SMS with the same text has the same id. */
  timeless?: true
}

export type ReceivedPart = ReceivedSms & {
  /**
   * The concatenation header: its reference, the width of the reference, this part's number from 1, and the number of
   * parts.
   */
  concat: { ref: number; refBits: 8 | 16; n: number; of: number }
}

export type DeliveryReport = {
  reference: string
  /** No other message of this device ever has this reference, unlike a modem's. */
  unique?: true
  to: string | null
  /** `trying`: the network is still trying, so this is not final. */
  state: 'delivered' | 'undelivered' | 'trying'
  at: string
  code?: string
  detail?: string
}

export type RadioState = {
  /** Ready to send now. */
  readonly ready: boolean
  /** One sentence: `registered at home on Movistar`, `SIM PIN required`, `port /dev/… is gone`. */
  readonly says: string
  /** The time of the last successful send since the driver started, ISO 8601. */
  readonly last_sent_at: string | null
}

/**
 * Opens one driver. Resolves even if the radio is not reachable yet: the driver keeps trying, and `radio()` says why.
 */
export type OpenDriver<Settings> = (settings: Settings, keeper: Keeper) => Promise<Driver>
