/** A template's text, in which each of its fields is written as `{{field}}`. */
export type InsertedTemplate = { text: string; fields: readonly string[] }

/** What a contact puts in place of a field; undefined if it has nothing. */
export type FieldValues = (field: string) => string | undefined

/** Puts the known values in place of these fields. The others stay as they are. */
export function fillFields(message: string, fields: readonly string[], valueOf: FieldValues): string {
  return message.replaceAll(/\{\{([^{}]+)\}\}/gu, (whole, field: string) =>
    fields.includes(field) ? valueOf(field) || whole : whole,
  )
}

/** The fields of inserted templates that the message still has. Braces that a person typed are no fields. */
export function fieldsLeft(message: string, fields: readonly string[] = []): string[] {
  return fields.filter((field) => message.includes(`{{${field}}}`))
}
