import assert from 'node:assert/strict'
import { CsvFile, mediaTypes, type Route } from '@sdd/contract/core/route.ts'
import type { Request, Said } from './asking.ts'
import { faultsOf, type Find } from './json-schema.ts'

/** The API description as served, and its verdict on requests and answers. */

type Content = Record<string, { schema: unknown }>
type Operation = {
  parameters: { name: string; in: 'path' | 'query'; required: boolean; schema: unknown }[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, { content?: Content }>
}

export type Description = ReturnType<typeof openDescription>

export function openDescription(document: object) {
  const { paths } = document as { paths: Record<string, Record<string, Operation>> }
  const find: Find = (ref) =>
    ref
      .slice('#/'.length)
      .split('/')
      .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document)

  function operationOf({ method, path }: Route): Operation {
    return paths[path.replace(/:(\w+)/g, '{$1}')]![method.toLowerCase()]!
  }

  return {
    /** The faults that the description finds in such a request. */
    faultsOfRequest(route: Route, { query = {}, body }: Partial<Request>): string[] {
      const { parameters, requestBody } = operationOf(route)
      const inQuery = parameters.filter((parameter) => parameter.in === 'query')
      const missing = inQuery.filter(({ name, required }) => required && !(name in query))
      return [
        ...missing.map(({ name }) => `?${name}: is missing`),
        ...inQuery.flatMap(({ name, schema }) =>
          name in query ? faultsOf(schema, parameterOf(schema, query[name]!), find, `?${name}`) : [],
        ),
        ...(requestBody === undefined
          ? []
          : body === undefined
            ? requestBody.required
              ? ['the body is missing']
              : []
            : faultsOf(requestBody.content[mediaTypes[route.encoding]]!.schema, body, find)),
      ]
    },
    /** Asserts that the description has this answer for the route. */
    assertDescribed(where: string, route: Route, { status, body, headers }: Said): void {
      const described = operationOf(route).responses[status]
      assert.ok(described, `${where}: ${status} is not described`)
      if (described.content === undefined) return
      if (status < 400 && route.reply === CsvFile) {
        assert.match(headers.get('content-type')!, /^text\/csv/, where)
        return
      }
      assert.deepEqual(faultsOf(described.content['application/json']!.schema, body, find), [], where)
    },
  }
}

/** A parameter is a text on the wire, so a number is read from it. */
function parameterOf(schema: unknown, written: string): unknown {
  const isNumber = (schema as { type?: string }).type === 'integer' && /^\d+$/.test(written)
  return isNumber ? Number(written) : written
}
