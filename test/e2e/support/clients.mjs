// The official clients behind a common interface: connect(way, home, wants) -> {client, call, listTools, close}.
// `wants` may have handlers for what the server sends: sample(params), confirm(params), updated(uri), listChanged().
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import assert from 'node:assert/strict';

import { environment, within } from './memd.mjs';

const info = { name: 'memd-e2e', version: '1.0.0' };

async function open(client, transport, call, handle, wants) {
  if (wants.sample) handle.request('sampling/createMessage', ({ params }) => wants.sample(params));
  if (wants.confirm) handle.request('elicitation/create', ({ params }) => wants.confirm(params));
  if (wants.updated) handle.notification('notifications/resources/updated', ({ params }) => wants.updated(params.uri));
  if (wants.listChanged) handle.notification('notifications/resources/list_changed', () => wants.listChanged());
  // A line on stdout that is not a JSON-RPC message is reported here, too.
  const errors = [];
  // A call can be cancelled after its answer was sent; the clients then report an answer to an unknown request.
  let cancelled = 0;
  client.onerror = ({ message }) => {
    if (!(message.includes('unknown message ID') && cancelled-- > 0)) errors.push(message);
  };
  await client.connect(transport);
  const child = transport._process;
  const exit = new Promise((resolve) => child.on('exit', (code, signal) => resolve({ code, signal })));
  return {
    client,
    call: (name, args, options) => {
      options?.signal?.addEventListener('abort', () => ++cancelled);
      return call(client, { name, arguments: args }, options);
    },
    listTools: async () => (await client.listTools()).tools,
    // The clients close stdin and send SIGTERM only after two seconds: exit code 0 means that EOF was enough.
    close: async () => {
      await client.close();
      assert.deepEqual(await within(10_000, 'end after EOF', exit), { code: 0, signal: null });
      assert.deepEqual(errors, []);
    },
  };
}

const parameters = (way, home) => ({ ...way(home), env: environment(home), stderr: 'pipe' });

const capabilities = (wants) => ({ ...(wants.sample && { sampling: {} }), ...(wants.confirm && { elicitation: { form: {} } }) });

function modern(mode) {
  return (way, home, wants = {}) => {
    const client = new ModernClient(info, { versionNegotiation: { mode }, capabilities: capabilities(wants) });
    const handle = {
      request: (method, f) => client.setRequestHandler(method, f),
      notification: (method, f) => client.setNotificationHandler(method, f),
    };
    const call = (self, params, options) => self.callTool(params, options);
    return open(client, new ModernTransport(parameters(way, home)), call, handle, wants);
  };
}

function legacy(way, home, wants = {}) {
  const schemas = {
    'sampling/createMessage': CreateMessageRequestSchema,
    'elicitation/create': ElicitRequestSchema,
    'notifications/resources/updated': ResourceUpdatedNotificationSchema,
    'notifications/resources/list_changed': ResourceListChangedNotificationSchema,
  };
  const client = new LegacyClient(info, { capabilities: capabilities(wants) });
  const handle = {
    request: (method, f) => client.setRequestHandler(schemas[method], f),
    notification: (method, f) => client.setNotificationHandler(schemas[method], f),
  };
  const call = (self, params, options) => self.callTool(params, undefined, options);
  return open(client, new LegacyTransport(parameters(way, home)), call, handle, wants);
}

export const clients = {
  'sdk, legacy': { era: 'legacy', connect: legacy },
  'client, legacy': { era: 'legacy', connect: modern('legacy') },
  'client, auto': { era: 'modern', connect: modern('auto') },
  'client, pinned 2026-07-28': { era: 'modern', connect: modern({ pin: '2026-07-28' }) },
};
