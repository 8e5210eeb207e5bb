import { escapeHtml, prose } from './html.ts'
import { fieldsHtml, type JsonSchema } from './fields.ts'

type Content = Record<string, { schema: JsonSchema; example?: unknown }>

type Operation = {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  parameters: { name: string; in: string; required: boolean; schema: JsonSchema; description?: string }[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, { description: string; content?: Content }>
  'x-codeSamples'?: { source: string }[]
}

type Paths = Record<string, Record<string, Operation>>

/** The parts of the API's description that the page shows. */
type Described = {
  info: { title: string; description: string }
  tags: { name: string }[]
  paths: Paths
  webhooks: Paths
}

type Entry = Operation & { method: string; path: string }

/** The reference of the API for people: one page without script, made from the OpenAPI document. */
export function referencePage(document: object): string {
  // As a client receives it: without undefined fields.
  const { info, tags, paths, webhooks } = JSON.parse(JSON.stringify(document)) as Described
  const groups = [
    ...tags.map(({ name }) => ({
      name,
      entries: entriesOf(paths).filter((entry) => entry.tags.includes(name)),
    })),
    { name: 'events', entries: entriesOf(webhooks) },
  ]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API · ${escapeHtml(info.title)}</title>
<link rel="icon" href="/favicon.svg">
<link rel="stylesheet" href="/docs/reference.css">
</head>
<body>
<nav aria-label="Contents">${groups.map(contentsOf).join('')}</nav>
<main>
<h1>API of ${escapeHtml(info.title)}</h1>
<p>${prose(info.description)}</p>
<p>Programs send an API key as <code>Authorization: Bearer sdk_…</code>, and people the <code>access_token</code> of
<code>POST /api/login</code>. For the commands, set the server and one of the two:</p>
<pre><code>export SDD_URL=https://sms.example.com SDD_TOKEN=sdk_…</code></pre>
<p>The same for programs: <a href="/api/openapi.json">OpenAPI</a>, and <a href="/asyncapi.json">AsyncAPI</a> for the
topics of devices and browsers.</p>
${groups.map(sectionOf).join('')}
</main>
</body>
</html>
`
}

function entriesOf(paths: Paths): Entry[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  )
}

type Group = { name: string; entries: Entry[] }

function contentsOf({ name, entries }: Group): string {
  const links = entries.map(
    ({ operationId, method, path }) => `<li><a href="#${operationId}">${titleOf(method, path)}</a></li>`,
  )
  return `<details><summary>${headingOf(name)}</summary><ul>${links.join('')}</ul></details>`
}

function sectionOf({ name, entries }: Group): string {
  return `<section><h2 id="${escapeHtml(name)}">${headingOf(name)}</h2>${entries.map(entryOf).join('')}</section>`
}

function headingOf(name: string): string {
  const words = escapeHtml(name)
    .replaceAll('-', ' ')
    .replace(/^api\b/, 'API')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** An event has no path. */
function titleOf(method: string, path: string): string {
  const name = `<code>${escapeHtml(path)}</code>`
  return path.startsWith('/') ? `<b class="${method.toLowerCase()}">${method}</b> ${name}` : name
}

function entryOf(entry: Entry): string {
  const { operationId, method, path, summary, description, parameters, requestBody } = entry
  const [sample] = entry['x-codeSamples'] ?? []
  return `<article id="${operationId}"><h3><a href="#${operationId}">${titleOf(method, path)}</a></h3>
<p>${prose(summary)}</p>${description ? `<p class="who">${prose(description)}</p>` : ''}
${sample ? `<pre><code>${escapeHtml(sample.source)}</code></pre>` : ''}
${parameters.length > 0 ? folded('Parameters', parametersOf(parameters)) : ''}
${requestBody ? folded('Body', bodyOf(requestBody.content)) : ''}
${folded('Answers', answersOf(entry.responses))}
</article>`
}

function folded(title: string, html: string): string {
  return `<details><summary>${title}</summary>${html}</details>`
}

function parametersOf(parameters: Operation['parameters']): string {
  const properties = Object.fromEntries(
    parameters.map(({ name, schema, description }) => [
      name,
      { ...(description && { description }), ...schema },
    ]),
  )
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name)
  return fieldsHtml({ type: 'by name', properties, required })
}

function bodyOf(content: Content): string {
  return Object.entries(content)
    .map(([type, { schema }]) => `<p><code>${escapeHtml(type)}</code></p>${fieldsHtml(schema)}`)
    .join('')
}

/** Successes with their fields, and failures with their codes. */
function answersOf(responses: Operation['responses']): string {
  const rows = Object.entries(responses).map(([status, { description, content }]) => {
    const failed = /^[45]\d\d$/.test(status)
    const codes =
      failed && content
        ? description
            .split(', ')
            .map((code) => `<code>${code}</code>`)
            .join(' ')
        : ''
    return `<li><b>${status}</b> ${codes || prose(description)}${content && !failed ? bodyOf(content) : ''}</li>`
  })
  return `<ul class="answers">${rows.join('')}</ul>`
}
