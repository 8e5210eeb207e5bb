import type { DriverKind, DriverKinds, Settings } from '#agent/drivers.ts'
import { driverOptionNames, type Option, type World } from './command.ts'
import { UsageError } from './usage-error.ts'

export const DRIVER: Record<'driver', Option> = {
  driver: { value: 'DRIVER', meaning: 'the driver that sends the SMS: see below' },
}

export type DriverChoice = { readonly name: string; readonly kind: DriverKind; readonly settings: Settings }

/** The driver that the options name, with checked settings. Rejects with the name of a missing or wrong option. */
export async function chooseDriver(
  { kinds, config }: Pick<World, 'kinds' | 'config'>,
  values: Settings,
): Promise<DriverChoice> {
  const name = values['driver'] ?? (config.in_termux ? 'termux' : 'modem')
  const kind = kinds[name]
  if (!kind)
    throw new UsageError(`--driver ${name} is not known: use one of ${Object.keys(kinds).join(', ')}`)
  const own = Object.keys(kind.options)
  const foreign = driverOptionNames(kinds).find(
    (option) => values[option] !== undefined && !own.includes(option),
  )
  if (foreign)
    throw new UsageError(
      `--${foreign} is not an option of the driver ${name}: leave it out, or name its --driver`,
    )
  const given = Object.entries(values).filter(([option]) => own.includes(option))
  return { name, kind, settings: await kind.check(Object.fromEntries(given)) }
}

/** The drivers and their options, for `--help`. */
export function driverHelp(kinds: DriverKinds): string[] {
  return Object.entries(kinds).flatMap(([name, { summary, options }]) => [
    '',
    `  --driver ${name}: ${summary}`,
    ...Object.entries(options).map(([option, given]) => optionLine(option, given, 4)),
  ])
}

export function optionLine(name: string, { value, meaning, secret }: Option, indent = 2): string {
  const line = (option: string, means: string) =>
    `${' '.repeat(indent)}${option.padEnd(30 - indent)} ${means}`
  return secret
    ? `${line(`--${name} ${value}`, `${meaning}; - asks for it`)}\n${line(`--${name}-file FILE`, 'reads it from this file')}`
    : line(`--${name} ${value}`, meaning)
}
