/** `10 418`: groups set apart by a thin space that does not break, as Spanish wants it. */
export function figure(value: number): string {
  return value < 10_000 ? String(value) : String(value).replace(/\B(?=(\d{3})+$)/g, '\u202f')
}

/** `97,8 %`, from a share of one. */
export function percent(share: number): string {
  const [whole, tenth] = (share * 100).toFixed(1).split('.')
  return `${whole}${tenth === '0' ? '' : `,${tenth}`}\u202f%`
}
