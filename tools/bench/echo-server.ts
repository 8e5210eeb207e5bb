import { createServer } from 'node:http'

/** The cheapest possible server: reads each request's body and answers with it. `node echo-server.ts <port>`. */
createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = Buffer.concat(chunks)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
  })
}).listen(Number(process.argv[2]), '127.0.0.1')
