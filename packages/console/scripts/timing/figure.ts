/** One line of the table of budgets. */
export type Measurement = {
  what: string
  figure: number
  budget: number
  unit: 'kB' | 'ms' | ''
  /** Whether exceeding the budget fails the run. Set if the measurement is the same on every machine. */
  binds?: boolean
}
