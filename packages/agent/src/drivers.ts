import type { Clock } from './clock.ts'
import type { Driver, Keeper } from './driver.ts'
import type { Finding } from './findings.ts'
import type { Say } from './say.ts'

/** The options of one device, as given on the command line and kept in the folder. */
export type Settings = Readonly<Record<string, string>>

type DriverOption = {
  readonly value: string
  readonly meaning: string
  /** Its value is never shown. */
  readonly secret?: boolean
  /** An order of the server may change it while the agent runs. */
  readonly byOrder?: boolean
}

export type DriverNeeds = {
  readonly settings: Settings
  readonly keeper: Keeper
  readonly clock: Clock
  readonly say: Say
  /** When the device was linked. SMS from before that time are ignored. */
  readonly since: string
}

/** A kind of driver, as `link --driver` names it. */
export type DriverKind = {
  readonly summary: string
  /** By name, without the dashes. */
  readonly options: Readonly<Record<string, DriverOption>>
  /** Completes the settings, or throws an error that names the wrong option and the remedy. */
  readonly check: (settings: Settings) => Promise<Settings>
  readonly open: (needs: DriverNeeds) => Promise<Driver>
  /** The findings of `doctor` about a device with these settings. */
  readonly examine: (settings: Settings) => AsyncIterable<Finding>
  /**
   * The findings of `doctor` about hardware on this machine that no device uses; `taken` are the linked devices'
   * settings.
   */
  readonly survey?: (taken: readonly Settings[]) => AsyncIterable<Finding>
}

export type DriverKinds = Readonly<Record<string, DriverKind>>
