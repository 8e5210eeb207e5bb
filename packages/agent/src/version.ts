/** As in package.json, which the bundled file does not include. */
export const VERSION = '0.1.0'
