import type { Route } from './route.ts'
export function openapiDocument(routes: readonly Route[]): Record<string, unknown> {
  return { openapi: '3.1.0', routes: routes.length }
}
