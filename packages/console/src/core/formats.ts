import { wording } from '#console/core/language.ts'

/** How times and numbers are written. `ui/time.ts` and `ui/numbers.ts` apply it. */
export const formats = wording('formats', {
  /** `20/11`. */
  day: (at: Date) => `${two(at.getDate())}/${two(at.getMonth() + 1)}`,
  /** `20/11/2026`. */
  dayOfYear: (at: Date) => `${two(at.getDate())}/${two(at.getMonth() + 1)}/${at.getFullYear()}`,
  ago: {
    s: (n: number) => `hace ${n} s`,
    min: (n: number) => `hace ${n} min`,
    h: (n: number) => `hace ${n} h`,
  },
  daysAgo: (n: number) => (n === 1 ? 'hace 1 día' : `hace ${n} días`),
  /** Between groups of three digits: a thin no-break space. */
  group: '\u202f',
  decimal: ',',
  percent: '\u202f%',
})

function two(figure: number): string {
  return figure < 10 ? `0${figure}` : String(figure)
}
