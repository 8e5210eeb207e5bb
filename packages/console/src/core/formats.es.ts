const day = new Intl.DateTimeFormat('es', { day: '2-digit', month: '2-digit' })
const dayOfYear = new Intl.DateTimeFormat('es', { day: '2-digit', month: '2-digit', year: 'numeric' })

export const formats = {
  day: (at: Date) => day.format(at),
  dayOfYear: (at: Date) => dayOfYear.format(at),
  ago: {
    s: (n: number) => `hace ${n} s`,
    min: (n: number) => `hace ${n} min`,
    h: (n: number) => `hace ${n} h`,
  },
  daysAgo: (n: number) => (n === 1 ? 'hace 1 día' : `hace ${n} días`),
  group: '\u202f',
  decimal: ',',
  percent: '\u202f%',
}
