import type { Networks } from '@sdd/contract/fleet/devices.ts'

/**
 * What sends and receives the SMS of one device: a modem, a phone. It keeps nothing on disk; what must outlive it, it
 * hands to its `Keeper` and waits.
 */
export type Driver = {
  /** As a person names it: `modem /dev/serial/by-id/…`. */
  readonly name: string
  /** Whether delivery reports can come, and if not, why: said once at the start and in `doctor`. */
  readonly delivery_reports: true | string
  /**
   * Sends one message, all its parts in order. Never rejects: whatever happens is an outcome. Called for one message at
   * a time. Before anything may go on air it awaits `onAir`; after each part that the network took, `partSent`.
   */
  send: (message: Outgoing, way: Way) => Promise<Outcome>
  /** What the device knows of its networks now. A fact it cannot know is null. */
  networks: () => Promise<Networks>
  /** How the radio is, now. */
  radio: () => RadioState
  /** Finishes or gives up what is under way, and lets go of the port. */
  close: () => Promise<void>
}

export type Outgoing = {
  readonly guid: string
  readonly attempt: number
  readonly to: string
  readonly text: string
  /** The number of the SIM to send from, where the device has several. */
  readonly from?: string
  /** Ask the network for no delivery report. */
  readonly silent?: boolean
}

export type Way = {
  /** Settles once "sending" is on disk. Rejects where it cannot be: then nothing may go on air. */
  onAir: () => Promise<void>
  /**
   * The network took part `n` (from 1) of `of`. `reference` is what its delivery report will carry (a modem's TP-MR, a
   * phone app's id), as text; null where none will come.
   */
  partSent: (part: { n: number; of: number; reference: string | null }) => Promise<void>
}

export type Outcome =
  | { readonly state: 'sent'; readonly parts: number; readonly sim?: string }
  | {
      readonly state: 'failed'
      /** `no_network`, `modem_error`, `timeout`, `unknown_outcome`, `invalid_number`, … (docs/device-protocol.md). */
      readonly code: string
      /** One sentence with what the modem said. */
      readonly detail: string
      /** Trying again will not help. */
      readonly block: boolean
      /** Parts that the network took before it failed. */
      readonly parts: number
      readonly sim?: string
    }

/** Where a driver puts what comes in. Each settles once it is on disk: only then may the SIM's copy be deleted. */
export type Keeper = {
  /** A whole SMS; `id` is the same when the same SMS is read again. */
  received: (sms: { id: string; from: string; text: string; at: string; sim?: string }) => Promise<void>
  /** One part of a long SMS; the keeper puts them together. */
  receivedPart: (part: ReceivedPart) => Promise<void>
  /** A delivery report. `to` as the report says it: it may be in another form than the number that was dialled. */
  delivery: (report: DeliveryReport) => Promise<void>
  /** The networks or the radio's state changed. */
  changed: () => void
}

export type ReceivedPart = {
  id: string
  from: string
  text: string
  at: string
  sim?: string
  /** The concatenation header: its reference, how wide that is, this part's number from 1, and how many there are. */
  concat: { ref: number; refBits: 8 | 16; n: number; of: number }
}

export type DeliveryReport = {
  reference: string
  to: string | null
  /** `trying`: the network has not given up; not an end. */
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
  /** When a send last worked, ISO 8601, since the driver started. */
  readonly last_sent_at: string | null
}

/** Opens one driver. Resolves even where the radio cannot be reached yet: it keeps trying and `radio()` says so. */
export type OpenDriver<Settings> = (settings: Settings, keeper: Keeper) => Promise<Driver>
