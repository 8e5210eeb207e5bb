const BROWSERS: [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const SYSTEMS: [RegExp, string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

/**
 * A readable name for the program behind a `User-Agent`, such as `Firefox · Android`; otherwise its first word
 * (`curl`), or `undefined` if it has none.
 */
export function programOf(user_agent: string): string | undefined {
  const find = (names: [RegExp, string][]) => names.find(([pattern]) => pattern.test(user_agent))?.[1]
  const browser = find(BROWSERS)
  if (!browser) return /^[\w.-]+/.exec(user_agent)?.[0]
  return [browser, find(SYSTEMS)].filter(Boolean).join(' · ')
}
