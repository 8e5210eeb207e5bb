import { createServer } from 'node:http'

/** What the least server does with a request: reads its body and answers with it. `node echo-server.ts <port>`. */
createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = Buffer.concat(chunks)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
  })
}).listen(Number(process.argv[2]), '127.0.0.1')
