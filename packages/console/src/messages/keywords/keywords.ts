import { lazyPart } from '#console/ui/lazy-part.tsx'

export const KeywordsTab = lazyPart(() => import('./keywords-tab.tsx'))
