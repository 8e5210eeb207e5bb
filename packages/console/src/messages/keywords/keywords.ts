import { lazyPart } from '#console/core/language.ts'

export const KeywordsTab = lazyPart(() => import('./keywords-tab.tsx'))
