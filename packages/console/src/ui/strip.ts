import '#console/ui/strip.css'

/** The class of a row that may be wider than the window, and of one that is only on a phone. */
export const stripLook = { strip: 'strip', ofPhones: 'strip strip-of-phones' } as const
