/** `10 418`: digit groups separated by a thin no-break space, as in Spanish. */
export function formatCount(value: number): string {
  return value < 10_000 ? String(value) : String(value).replace(/\B(?=(\d{3})+$)/g, '\u202f')
}

/** `97,8 %`, from a share of 1. */
export function formatPercent(share: number): string {
  const [whole, tenth] = (share * 100).toFixed(1).split('.')
  return `${whole}${tenth === '0' ? '' : `,${tenth}`}\u202f%`
}
