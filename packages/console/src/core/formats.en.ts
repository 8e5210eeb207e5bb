/** The month as a word: `03/04` is another day in London than in New York. */
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const dayOfYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })

export const formats = {
  day: (at: Date) => day.format(at),
  dayOfYear: (at: Date) => dayOfYear.format(at),
  ago: { s: (n: number) => `${n} s ago`, min: (n: number) => `${n} min ago`, h: (n: number) => `${n} h ago` },
  daysAgo: (n: number) => (n === 1 ? '1 day ago' : `${n} days ago`),
  group: ',',
  decimal: '.',
  percent: '%',
}
