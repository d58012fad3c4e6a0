// Serves MCP over HTTP in front of a server that reads lines, for the conformance suite, which uses HTTP only. Passes
// messages on unchanged: one server process for each session of the handshake era, one for all stateless requests.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

// For stateless requests the HTTP status repeats the error.
const statusOf = (code) => (code === -32601 ? 404 : code === -32603 ? 500 : 400);

class Line {
  constructor({ command, args }, environment) {
    this.child = spawn(command, args, { env: environment, stdio: ['pipe', 'pipe', 'inherit'] });
    this.streams = new Map(); // by the JSON text of a request's id
    this.listener = null; // an open GET
    this.exit = new Promise((resolve) => this.child.on('exit', resolve));
    createInterface({ input: this.child.stdout }).on('line', (line) => this.received(line));
  }

  send(message) {
    this.child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  received(line) {
    const message = JSON.parse(line);
    const isResponse = message.method === undefined;
    const about = isResponse
      ? message.id
      : (message.params?._meta?.['io.modelcontextprotocol/subscriptionId'] ?? message.params?.requestId);
    const key = JSON.stringify(about);
    const stream = this.streams.get(key) ?? (isResponse ? null : ([...this.streams.values()].at(-1) ?? this.listener));
    if (isResponse) this.streams.delete(key);
    if (isResponse && stream && !stream.headersSent && message.error && !this.id) {
      stream.writeHead(statusOf(message.error.code), { 'content-type': 'application/json' }).end(line);
      return;
    }
    if (stream) this.begin(stream);
    stream?.write(`event: message\ndata: ${line}\n\n`);
    if (isResponse) stream?.end();
  }

  begin(response) {
    if (response.headersSent) return;
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...(this.id && { 'mcp-session-id': this.id }) });
    response.flushHeaders();
  }

  open(response, id) {
    if (id === undefined) {
      this.begin(response);
      this.listener = response;
      return;
    }
    const key = JSON.stringify(id);
    this.streams.set(key, response);
    response.on('close', () => {
      if (this.streams.get(key) !== response) return;
      this.streams.delete(key); // closing the connection is how the client cancels
      this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
    });
  }
}

export async function listen(way, environment) {
  const sessions = new Map();
  const lines = [];
  let stateless = null;
  const start = () => {
    const line = new Line(way, environment);
    lines.push(line);
    return line;
  };

  async function post(request, response) {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    let message;
    try {
      message = JSON.parse(body);
    } catch {
      response.writeHead(400).end();
      return;
    }
    const modern = message.params?._meta?.['io.modelcontextprotocol/protocolVersion'] !== undefined;
    let line = sessions.get(request.headers['mcp-session-id']);
    if (message.method === 'initialize') {
      line = start();
      line.id = randomUUID();
      sessions.set(line.id, line);
    } else if (!line || modern) {
      line = stateless ??= start();
    }
    if (message.id === undefined || message.method === undefined) {
      line.send(message);
      response.writeHead(202).end();
      return;
    }
    line.open(response, message.id);
    line.send(message);
  }

  const server = createServer((request, response) => {
    const origin = request.headers.origin ?? `http://${request.headers.host}`;
    if (!/^https?:\/\/(localhost|127\.0\.0\.1)(:|\/|$)/.test(origin)) return response.writeHead(403).end();
    if (request.method === 'POST') return post(request, response);
    const line = sessions.get(request.headers['mcp-session-id']);
    if (request.method === 'GET' && line) return line.open(response);
    if (request.method === 'DELETE' && line) line.child.stdin.end();
    response.writeHead(request.method === 'DELETE' && line ? 200 : 405).end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      for (const line of lines) line.child.stdin.end();
      await Promise.all(lines.map(({ exit }) => exit));
    },
  };
}
