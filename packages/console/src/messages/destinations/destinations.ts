import { lazyPart } from '#console/core/language.ts'

export const DestinationsTab = lazyPart(() => import('./destinations-tab.tsx'))
