import * as z from 'zod/mini'
import { CompanyQuery, IdParam, Name } from '@sdd/contract/core/fields.ts'
import { route } from '@sdd/contract/core/route.ts'
import { explainTemplateFault, parseTemplateText } from '@sdd/contract/people/template-text.ts'

/** A text with `{{field}}`. `{{name}}` and `{{number}}` always exist. */
export const Template = z.object({ id: z.int(), company_id: z.int(), name: z.string(), text: z.string() })
export type Template = z.infer<typeof Template>

/** The text of a template, or of a campaign. */
export const TemplateBody = z.string().check(
  z.minLength(1, 'is required'),
  z.maxLength(2_000),
  z.refine((text) => parseTemplateText(text).fault === undefined, {
    error: ({ input }) => {
      const { fault } = parseTemplateText(input as string)
      return fault && explainTemplateFault(fault)
    },
  }),
)

export const TemplateChange = z.strictObject({
  /** Absent: a new one. */
  id: z.optional(z.nullable(z.int())),
  name: Name,
  text: TemplateBody,
})
export type TemplateChange = z.infer<typeof TemplateChange>

export const listTemplates = route('GET /api/templates', {
  summary: 'The templates, by name.',
  reply: z.object({ templates: z.array(Template) }),
})

export const saveTemplate = route('POST /api/templates', {
  summary: 'Creates a template, or changes the one with this id.',
  may: 'templates:manage',
  query: CompanyQuery,
  body: TemplateChange,
  reply: Template,
  status: 201,
  otherStatus: 200,
  errors: ['unknown_company', 'unknown_template', 'name_taken'],
})

export const deleteTemplate = route('DELETE /api/templates/:id', {
  summary: 'Removes a template.',
  may: 'templates:manage',
  params: z.object({ id: IdParam }),
  errors: ['unknown_template'],
})
