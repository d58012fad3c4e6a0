// A model on this machine that requests one call of a memd tool and then ends, for clients that call tools only for a
// model. Implements as much of Anthropic's, Google's and OpenAI's APIs as the clients need.
import { createServer } from 'node:http';

const wanted = { query: 'upload test', all_projects: true };

export class StandInModel {
  constructor() {
    this.results = []; // answers of tools, as the client passed them on
    this.requests = 0;
    this.server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => this.answer(request, body, response));
    });
  }

  listen() {
    return new Promise((resolve) => this.server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${this.server.address().port}`)));
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }

  answer(request, body, response) {
    let asked = {};
    try {
      asked = body ? JSON.parse(body) : {};
    } catch {
      // not for us
    }
    this.requests += 1;
    if (process.env.MEMD_SHOW_MODEL) console.error(request.method, request.url, JSON.stringify(asked.tools ?? []).length, (asked.tools ?? []).map((t) => t.name ?? t.function?.name).slice(-15));
    if (request.url.includes('/messages') && !request.url.includes('count_tokens')) return this.anthropic(asked, response);
    if (/generateContent|streamGenerateContent/i.test(request.url)) return this.google(request.url, asked, response);
    if (request.url.includes('/chat/completions')) return this.openai(asked, response);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ input_tokens: 1, totalTokens: 1, data: [], models: [] }));
  }

  stream(response, events, named = false) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events) response.write(`${named ? `event: ${event.type}\n` : ''}data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
    response.end();
  }

  anthropic({ tools = [], messages = [], model, stream }, response) {
    const results = messages.flatMap(({ content }) => (Array.isArray(content) ? content.filter(({ type }) => type === 'tool_result') : []));
    if (results.length > 0) this.results.push(JSON.stringify(results.at(-1)));
    const tool = results.length === 0 ? tools.find(({ name }) => name?.endsWith('semantic_search')) : undefined;
    const content = tool ? { type: 'tool_use', id: 'toolu_1', name: tool.name, input: wanted } : { type: 'text', text: 'Done.' };
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model, stop_sequence: null, usage };
    const stop = tool ? 'tool_use' : 'end_turn';
    if (!stream) return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ...message, content: [content], stop_reason: stop }));
    const delta = tool ? { type: 'input_json_delta', partial_json: JSON.stringify(wanted) } : { type: 'text_delta', text: 'Done.' };
    return this.stream(
      response,
      [
        { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
        { type: 'content_block_start', index: 0, content_block: tool ? { ...content, input: {} } : { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage },
        { type: 'message_stop' },
      ],
      true,
    );
  }

  google(url, { tools = [], contents = [] }, response) {
    const results = contents.flatMap(({ parts = [] }) => parts.filter((part) => part.functionResponse));
    if (results.length > 0) this.results.push(JSON.stringify(results.at(-1)));
    const declared = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations);
    const tool = results.length === 0 ? declared.find(({ name }) => name.endsWith('semantic_search')) : undefined;
    const part = tool ? { functionCall: { name: tool.name, args: wanted } } : { text: 'Done.' };
    const answer = {
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      modelVersion: 'stand-in',
    };
    if (url.includes('stream')) return this.stream(response, [answer]);
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }

  openai({ tools = [], messages = [], model }, response) {
    const results = messages.filter(({ role }) => role === 'tool');
    if (results.length > 0) this.results.push(JSON.stringify(results.at(-1)));
    const tool = results.length === 0 ? tools.find((entry) => entry.function?.name?.endsWith('semantic_search')) : undefined;
    const delta = tool
      ? { role: 'assistant', tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: tool.function.name, arguments: JSON.stringify(wanted) } }] }
      : { role: 'assistant', content: 'Done.' };
    const chunk = (choice) => ({ id: 'c', object: 'chat.completion.chunk', created: 1, model, choices: [{ index: 0, ...choice }] });
    return this.stream(response, [chunk({ delta, finish_reason: null }), chunk({ delta: {}, finish_reason: tool ? 'tool_calls' : 'stop' }), '[DONE]']);
  }
}
