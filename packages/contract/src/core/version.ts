/** As in each package.json, which a bundled file does not include. */
export const VERSION = '0.1.0'

/** Whether version `a` is older than `b`. A preview such as `1.2.0-rc.1` is older than its version. */
export function isOlder(a: string, b: string): boolean {
  const [numbersOfA, previewOfA] = partsOf(a)
  const [numbersOfB, previewOfB] = partsOf(b)
  const at = numbersOfA.findIndex((number, n) => number !== numbersOfB[n])
  if (at >= 0) return numbersOfA[at]! < (numbersOfB[at] ?? 0)
  if (previewOfA === '' || previewOfB === '') return previewOfA !== previewOfB && previewOfB === ''
  return previewOfA.localeCompare(previewOfB, 'en', { numeric: true }) < 0
}

function partsOf(version: string): [numbers: number[], preview: string] {
  const [numbers = '', ...preview] = version.split('-')
  return [numbers.split('.').map(Number), preview.join('-')]
}
