/** Each month has three letters. As a word, because `03/04` is another day in London than in New York. */
const month = new Intl.DateTimeFormat('en', { month: 'short' })

export const formats = {
  day: (at: Date) => `${at.getDate()} ${month.format(at)}`,
  dayOfYear: (at: Date) => `${at.getDate()} ${month.format(at)} ${at.getFullYear()}`,
  ago: { s: (n: number) => `${n} s ago`, min: (n: number) => `${n} min ago`, h: (n: number) => `${n} h ago` },
  daysAgo: (n: number) => (n === 1 ? '1 day ago' : `${n} days ago`),
  group: ',',
  decimal: '.',
  percent: '%',
}
