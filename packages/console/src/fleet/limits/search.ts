/** The columns by which the limits can be sorted. */
export const limitSorts = ['uid', 'status', 'max_sms_dayly', 'sent_today'] as const
export type LimitSort = (typeof limitSorts)[number]
