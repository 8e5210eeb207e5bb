import { formats } from '#console/core/formats.ts'

/** `10 418`, or `10,418` in English. */
export function formatCount(value: number): string {
  return value < 10_000 ? String(value) : String(value).replace(/\B(?=(\d{3})+$)/g, formats.group)
}

/** `2,5`, or `2.5` in English: at most one decimal. */
export function formatTenths(value: number): string {
  return value.toFixed(1).replace('.0', '').replace('.', formats.decimal)
}

/** `97,8 %`, or `97.8%` in English, from a share of 1. */
export function formatPercent(share: number): string {
  return `${formatTenths(share * 100)}${formats.percent}`
}
