import { wording } from '#console/core/language.ts'

/** The record of a message. By default with the names and codes of the API. */
export const record = wording('record', {
  label: (name: string): string => name,
  state: (state: string): string => state,
  time: (iso: string): string => iso,
})
