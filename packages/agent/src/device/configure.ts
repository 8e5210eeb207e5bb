import type { Done, Driver } from '#agent/driver.ts'
import type { DriverKind } from '#agent/drivers.ts'

export type SettingChanges = Readonly<Record<string, string | null>>

type ConfigureNeeds = {
  kind: Pick<DriverKind, 'options' | 'check'>
  driver: Pick<Driver, 'configure'>
  settings: Readonly<Record<string, string>>
  /** Stores the changes; on disk when it returns. Throws an Error that says why it cannot. */
  keep: (changes: SettingChanges) => void
}

/** No number, slot or name is longer. */
const MOST_CHARACTERS = 200

/**
 * Changes settings of one device: all of them or none. They are on disk before the driver uses them. `null` removes a
 * setting. Resolves to the changes, or to the refusal.
 */
export async function configure(
  { kind, driver, settings, keep }: ConfigureNeeds,
  wanted: unknown,
): Promise<{ done: Done; settings: Readonly<Record<string, string>> }> {
  const refuse = (code: string, detail: string) => ({ done: { ok: false, code, detail } as const, settings })
  const entries = Object.entries((wanted ?? {}) as Record<string, unknown>)
  const able = Object.keys(kind.options).filter((name) => kind.options[name]!.byOrder)
  const strange = entries.map(([name]) => name).filter((name) => !able.includes(name))
  if (strange.length > 0 || entries.length === 0) {
    const which = strange.length > 0 ? `It cannot change ${strange.join(', ')}.` : 'Nothing was named.'
    return refuse('unknown_setting', `${which} An order can change: ${able.join(', ')}`)
  }
  const changes: Record<string, string | null> = {}
  const changed: Record<string, string> = { ...settings }
  for (const [name, value] of entries) {
    const text = typeof value === 'number' ? String(value) : value
    if (text !== null && (typeof text !== 'string' || text.length > MOST_CHARACTERS))
      return refuse(
        'invalid_setting',
        `${name} must be a text of up to ${MOST_CHARACTERS} characters, or null`,
      )
    changes[name] = text
    if (text === null) delete changed[name]
    else changed[name] = text
  }
  try {
    await kind.check(changed)
  } catch (error) {
    return refuse('invalid_setting', (error as Error).message.replace(/^--/, ''))
  }
  try {
    keep(changes)
  } catch (error) {
    return refuse('not_kept', (error as Error).message)
  }
  driver.configure?.(changed)
  const said = Object.entries(changes).map(([name, value]) =>
    value === null ? `${name} is removed` : `${name} is now ${value}`,
  )
  return { done: { ok: true, output: said.join('\n') }, settings: changed }
}
