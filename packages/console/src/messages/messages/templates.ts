import type { ComponentType } from 'react'
import type { FieldValues, InsertedTemplate } from './template-fields.ts'

/** The company's templates and contacts, which a later area has. */
export type Templates = {
  /** Lets the user choose one of the company's templates; of any if it is undefined. */
  Chooser: ComponentType<{
    company: number | undefined
    onChoose: (template: InsertedTemplate) => void
    onClose: () => void
  }>
  /** What the number's contact puts in place of fields. Rejects if the contact cannot be loaded. */
  valuesOf: (number: string, company: number | undefined) => Promise<FieldValues>
}
