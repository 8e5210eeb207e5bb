import { defineConfig } from 'oxlint'
import { boundaries } from './lint/boundaries.ts'

const TOOLS = ['deploy/**', 'scripts/**', 'tools/**', 'lint/**', 'packages/*/*.ts', 'packages/*/scripts/**']
const TESTS = ['**/*.test.{ts,tsx}', 'packages/*/test/**', 'test/**']

export default defineConfig({
  ignorePatterns: ['**/dist/**', 'lint/fixtures/**'],
  options: { typeAware: true, reportUnusedDisableDirectives: 'error' },
  plugins: ['eslint', 'typescript', 'unicorn', 'oxc', 'import', 'promise', 'react', 'jsx-a11y'],
  env: { es2026: true },
  categories: { correctness: 'error' },
  rules: {
    eqeqeq: 'error',
    'no-console': 'error',
    'no-restricted-properties': [
      'error',
      { object: 'process', property: 'env', message: 'Only config.ts reads the environment' },
      { object: 'globalThis', property: 'process', message: 'process is a global' },
    ],
    'no-self-compare': 'error',
    'no-unused-expressions': ['error', { allowShortCircuit: true, allowTernary: true }],
    'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    'no-var': 'error',
    'prefer-const': 'error',
    'import/no-cycle': 'error',
    'import/no-self-import': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-floating-promises': [
      'error',
      {
        allowForKnownSafeCalls: [
          { from: 'package', package: 'node:test', name: ['test', 'it', 'describe', 'suite'] },
        ],
      },
    ],
    // A JSX event handler may be an async function.
    'typescript/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
    // [...text] is the right way to split a text into code points.
    'typescript/no-misused-spread': ['error', { allow: ['string'] }],
    'typescript/no-namespace': 'error',
    // Types like `ColumnType<Date, string, never>` list the allowed types, even redundant ones.
    'typescript/no-redundant-type-constituents': 'off',
    'typescript/no-require-imports': 'error',
    'typescript/only-throw-error': 'error',
    'typescript/parameter-properties': 'error',
    'typescript/switch-exhaustiveness-check': 'error',
    // State lives in closures here; no method uses `this`.
    'typescript/unbound-method': 'off',
    // typescript/await-thenable covers this.
    'unicorn/no-unnecessary-await': 'off',
  },
  overrides: [
    ...boundaries,
    { files: ['packages/*/src/{,core/}config.ts'], rules: { 'no-restricted-properties': 'off' } },
    { files: ['packages/console/src/**'], rules: { 'no-console': ['error', { allow: ['error'] }] } },
    { files: [...TOOLS, ...TESTS], rules: { 'no-console': 'off', 'no-restricted-properties': 'off' } },
  ],
})
