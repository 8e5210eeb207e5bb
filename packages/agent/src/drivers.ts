import type { Clock } from './clock.ts'
import type { Driver, Keeper } from './driver.ts'
import type { Finding } from './findings.ts'
import type { Say } from './say.ts'

/** As given on the command line and kept in the folder: option by option. */
export type Settings = Readonly<Record<string, string>>

export type DriverOption = {
  readonly value: string
  readonly meaning: string
  /** Never shown. */
  readonly secret?: boolean
}

export type DriverNeeds = {
  readonly settings: Settings
  readonly keeper: Keeper
  readonly clock: Clock
  readonly say: Say
  /** When the device was linked: SMS that came before are none of its business. */
  readonly since: string
}

/** A kind of driver, as `link --driver` names it. */
export type DriverKind = {
  readonly summary: string
  /** Without the dashes. */
  readonly options: Readonly<Record<string, DriverOption>>
  /** What is wrong with these settings, naming the option and the remedy; may fill in what was left out. */
  readonly check: (settings: Settings) => Promise<Settings>
  readonly open: (needs: DriverNeeds) => Promise<Driver>
  /** What `doctor` says of a device with these settings. */
  readonly examine: (settings: Settings) => AsyncIterable<Finding>
  /** What `doctor` finds on this machine for which no device is linked; `taken` are the linked devices' settings. */
  readonly survey?: (taken: readonly Settings[]) => AsyncIterable<Finding>
}

export type DriverKinds = Readonly<Record<string, DriverKind>>
