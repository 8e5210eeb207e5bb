import * as z from 'zod/mini'

/** Texts whose form has a field code of its own. The code of any other text is `bad_format`. */
export const formatCodes = z.registry<{ code: 'number_format' | 'email_format' }>()

/** Fields with parts. A fault of a part is reported as one of the whole field, and names the part. */
export const wholeFields = z.registry<{ whole: true }>()

/** ISO 8601 in UTC with milliseconds: `2026-01-31T09:30:00.000Z`. These texts sort like the times. */
export const Instant = z.iso.datetime({ precision: 3, error: 'must be ISO 8601 in UTC with milliseconds' })
export type Instant = z.infer<typeof Instant>

/** An ISO 8601 time with any precision and offset, as callers write it. Its year in UTC has four digits, too. */
export const AnyInstant = z.iso
  .datetime({
    offset: true,
    error: 'must be an ISO 8601 time with its zone, such as 2026-01-31T09:30:00Z',
  })
  .check(z.refine(isStorable, 'must be of the years 0 to 9999 in UTC'))

/** Other times would not sort like their texts. */
function isStorable(text: string): boolean {
  if (!/^(0000|9999)/.test(text)) return true
  const ms = Date.parse(text)
  return ms >= Date.parse('0000-01-01T00:00:00Z') && ms < Date.parse('9999-12-31T23:59:59.999Z') + 1
}

/** Identifies one message within its company. */
export const Guid = z
  .string()
  .check(z.regex(/^[A-Za-z0-9._:-]{1,64}$/, 'must be 1 to 64 of the characters A-Z a-z 0-9 . _ : -'))
export type Guid = z.infer<typeof Guid>

/** A guid that a caller gives. Those of campaigns are made by the server. */
export const OwnGuid = Guid.check(
  z.refine(
    (guid) => !guid.startsWith('campaign:'),
    'must not begin with campaign:, as those of campaigns do',
  ),
)

/** A device's own name, unique in the installation; also its MQTT client id and user name. */
export const Uid = z
  .string()
  .check(
    z.regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
      'must be 1 to 64 of the characters A-Z a-z 0-9 . _ - and begin with a letter or a digit',
    ),
  )
export type Uid = z.infer<typeof Uid>

/** Drops what people write between the digits of a number: blanks, dots, dashes and brackets. */
export function dropSeparators(number: string): string {
  return number.replace(/[\s.()[\]\u2010-\u2015-]/g, '')
}

/**
 * A phone number as it is dialled. Spaces, dots, dashes and brackets are dropped. The rest must be `+` and 6 to 15
 * digits, or 3 to 15 digits. The server also checks that the number's country has numbers of that length.
 */
export const PhoneNumber = z
  .string()
  .check(
    z.overwrite(dropSeparators),
    z.regex(/^(\+\d{6,15}|\d{3,15})$/, 'must be + and 6 to 15 digits, or 3 to 15 digits'),
  )
  .register(z.globalRegistry, { pattern: asTyped() })
  .register(formatCodes, { code: 'number_format' })
export type PhoneNumber = z.infer<typeof PhoneNumber>

/** The pattern of a number before those characters are dropped, for the API's description. */
function asTyped(): string {
  const dropped = '[\\s.()\\[\\]\u2010-\u2015\\-]*'
  const digits = (least: number) => `([0-9]${dropped}){${least},15}`
  return `^${dropped}(\\+${dropped}${digits(6)}|${digits(3)})$`
}
/** The first `most` characters (UTF-16 units) of a text, or one fewer to keep a surrogate pair whole. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text
  const split = /[\uD800-\uDBFF]/.test(text[most - 1]!) && /[\uDC00-\uDFFF]/.test(text[most]!)
  return text.slice(0, split ? most - 1 : most)
}

/**
 * Text that an SMS can carry. NUL and half a surrogate pair would arrive as different text, so both are refused. The
 * `sms` package counts the segments.
 */
export const SmsText = z.string().check(
  z.minLength(1, 'is required'),
  z.maxLength(2_000, 'is longer than 10 SMS'),
  // oxlint-disable-next-line no-control-regex -- refuses NUL; a pattern, so that the API's description has it
  z.regex(/^[^\u0000]*$/, 'holds a character that no SMS can carry'),
  z.refine((text) => text.isWellFormed(), 'holds a character that no SMS can carry'),
)

/** What a message is for, in the order in which a device sends them. */
export const messageClasses = ['code', 'transactional', 'marketing'] as const
export const MessageClass = z.enum(messageClasses)
export type MessageClass = z.infer<typeof MessageClass>

/**
 * The name of a user or an API key. Invisible characters, and those that change how text around them looks, are refused
 * (Unicode Cc, Cf, Cs, Co, Cn, Zl, Zp).
 */
export const Name = z
  .string()
  .check(
    z.regex(/^[^\p{C}\p{Zl}\p{Zp}]*$/u, 'holds a character that cannot be seen: type it again'),
    z.trim(),
    z.minLength(1, 'is required'),
    z.maxLength(100),
  )

/** The language of the console for one person; null: the wording of the specification. */
export const Language = z.nullable(z.enum(['es', 'en']))
export type Language = z.infer<typeof Language>

/** A password that a person chooses. */
export const NewPassword = z
  .string()
  .check(
    z.minLength(10, 'must have at least 10 characters'),
    z.maxLength(256, 'must have at most 256 characters'),
  )

/** The position of the next page of a list; opaque to callers. */
export const Cursor = z
  .string()
  .check(z.regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be a next_cursor of an earlier answer'))
export type Cursor = z.infer<typeof Cursor>

/** A positive whole number in a path or query, written in decimal. */
export const IdParam = z.pipe(
  z.string().check(z.regex(/^[1-9]\d{0,14}$/, 'must be a positive whole number')),
  z.transform(Number),
)

/** A whole number between two bounds in a query, written in decimal. */
export function countParam(least: number, most: number) {
  return z
    .pipe(
      z.string().check(z.regex(/^\d{1,9}$/, `must be a whole number, ${least} to ${most}`)),
      z.pipe(z.transform(Number), z.int().check(z.gte(least), z.lte(most))),
    )
    .register(z.globalRegistry, { type: 'integer', minimum: least, maximum: most, pattern: undefined })
}

/** A query parameter of several values, separated by commas. Repeated ones count once. */
export function listParam<const Value extends string>(values: readonly [Value, ...Value[]]) {
  const value = `(${values.join('|')})`
  return z.pipe(
    z
      .string()
      .check(
        z.regex(
          new RegExp(`^${value}(,${value})*$`),
          `must be one or more of ${values.join(', ')}, with commas`,
        ),
      ),
    z.transform((text) => [...new Set(text.split(','))] as Value[]),
  )
}

/** Replaces a secret. The previous one keeps working for this many hours; with 0 it stops immediately. */
export const Rotation = z.strictObject({
  overlap_hours: z._default(z.int().check(z.gte(0), z.lte(168)), 24),
})
export type Rotation = z.infer<typeof Rotation>

/** A superadmin may name another company. For other callers, other companies do not exist. */
export const CompanyQuery = z.object({ company: z.optional(IdParam) })

const NO_ADDRESS = 'must be an http:// or https:// address without a user name and without blanks'

/** An http or https address. The server decides which hosts are allowed (`CALLBACK_ADDRESSES`, `CALLBACK_HOSTS`). */
export const CallbackUrl = z.string().check(
  z.maxLength(2_000),
  z.regex(/^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^/?#@\\\s]+([/?#]\S*)?$/, NO_ADDRESS),
  z.refine((url) => {
    const { protocol, username, password } = URL.parse(url) ?? {}
    return (protocol === 'http:' || protocol === 'https:') && username === '' && password === ''
  }, NO_ADDRESS),
)
export type CallbackUrl = z.infer<typeof CallbackUrl>
