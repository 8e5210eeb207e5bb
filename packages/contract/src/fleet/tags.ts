import * as z from 'zod/mini'

/** The most tags of a device. */
export const MAX_TAGS = 20

/** Rules that choose devices use these words for something else. */
const RESERVED = ['any', 'wait', 'refuse']

/** Groups devices. Kept in lower case. */
export const Tag = z.string().check(
  z.overwrite((tag) => tag.normalize('NFC').toLowerCase().normalize('NFC')),
  z.regex(
    /^[\p{L}\p{Nd}][\p{L}\p{M}\p{Nd}._-]{0,31}$/u,
    'must be 1 to 32 letters, digits, dots, lines or dashes, and begin with a letter or a digit',
  ),
  z.refine((tag) => !RESERVED.includes(tag), 'is a word that routes use for something else'),
)
export type Tag = z.infer<typeof Tag>

/** Sorted, each once. */
export const Tags = z.array(Tag).check(
  z.overwrite((tags) => [...new Set(tags)].sort()),
  z.maxLength(MAX_TAGS),
)
