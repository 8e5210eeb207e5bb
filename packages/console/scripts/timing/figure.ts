/** One line of the budgets' table. */
export type Figure = {
  what: string
  figure: number
  budget: number
  unit: 'kB' | 'ms' | ''
  /** Whether being over fails the run: it is the same on every machine. */
  binds?: boolean
}
