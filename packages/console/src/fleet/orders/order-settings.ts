/** The settings of lines `name=value`; an empty value removes the setting. Undefined if a line is not one of these. */
export function settingsOf(typed: string): Record<string, string | null> | undefined {
  const settings: Record<string, string | null> = {}
  for (const line of typed.split('\n').filter((each) => each.trim() !== '')) {
    const [, name, value = ''] = /^\s*([\w.-]+)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (name === undefined) return undefined
    settings[name] = value === '' ? null : value
  }
  return Object.keys(settings).length > 0 ? settings : undefined
}
