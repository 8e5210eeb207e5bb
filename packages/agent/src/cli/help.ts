import type { DriverKinds } from '#agent/drivers.ts'
import { VERSION } from '@sdd/contract/core/version.ts'
import type { Command } from './command.ts'
import { optionLine } from './driver-choice.ts'

type Commands = Readonly<Record<string, Command>>

/** The output of `--help` without a command. */
export function generalHelp(commands: Commands, folder: string): string {
  return [
    `sdd-agent ${VERSION}: sends and receives SMS for SMS Drone Dash with the modems and phones of this machine.`,
    '',
    ...Object.entries(commands).map(
      ([name, command]) => `  ${usageOf(name, command).padEnd(30)} ${command.summary}`,
    ),
    '',
    "'sdd-agent COMMAND --help' lists its options.",
    `Devices and ledger are in ${folder}; --dir chooses another folder.`,
  ].join('\n')
}

export function commandHelp(name: string, command: Command, kinds: DriverKinds): string {
  return [
    `${usageOf(name, command)} [options]`,
    '',
    `  ${command.summary}`,
    '',
    ...Object.entries(command.options).map(([name, option]) => optionLine(name, option)),
    ...(command.details ? ['', ...command.details(kinds)] : []),
  ].join('\n')
}

function usageOf(name: string, { positionals }: Command): string {
  return ['sdd-agent', name, ...positionals].join(' ')
}
