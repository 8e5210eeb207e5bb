import { formats } from '#console/core/formats.ts'

/** `10 418`, or `10,418` in English. */
export function formatCount(value: number): string {
  return value < 10_000 ? String(value) : String(value).replace(/\B(?=(\d{3})+$)/g, formats.group)
}

/** `97,8 %`, or `97.8%` in English, from a share of 1. */
export function formatPercent(share: number): string {
  const [whole, tenth] = (share * 100).toFixed(1).split('.')
  return `${whole}${tenth === '0' ? '' : `${formats.decimal}${tenth}`}${formats.percent}`
}
