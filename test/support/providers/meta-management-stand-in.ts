import { json, type RecordedRequest, type StandInAnswer, startServer, THROTTLED_SECONDS } from './stand-in.ts';

/** An error in the Graph API's own form (developers.facebook.com/docs/graph-api/guides/error-handling). */
const graphError = (status: number, code: number, subcode?: number): StandInAnswer =>
  json(status, {
    error: {
      message: '(#0) words that repeat what was sent',
      type: 'OAuthException',
      code,
      ...(subcode === undefined ? {} : { error_subcode: subcode }),
      fbtrace_id: 'AbCdEf123',
    },
  });

interface Template {
  readonly id: string;
  readonly name: string;
  readonly language: string;
  category: string;
  components: unknown;
  status: string;
}
interface Flow {
  readonly id: string;
  name: string;
  categories: readonly string[];
  json?: string;
  status: string;
}

/** A business account with its numbers, templates and flows, which tests read and change. */
interface Account {
  readonly wabaId: string;
  readonly numbers: Map<string, Record<string, unknown>>;
  readonly profiles: Map<string, Record<string, unknown>>;
  readonly templates: Map<string, Template>;
  readonly flows: Map<string, Flow>;
  subscribed: boolean;
  /** The category of new templates, whatever was requested. */
  givenCategory?: string;
  /** The validation errors of the next uploads of a flow. */
  flowFaults: readonly { error: string; line_start?: number }[];
}

type Answer = (request: RecordedRequest, parts: readonly string[], query: URLSearchParams) => StandInAnswer;
const SUCCESS = { success: true };
const bodyOf = ({ body }: RecordedRequest): Record<string, unknown> => (body === '' ? {} : JSON.parse(body));
const absent = graphError(400, 100, 33);

/** A page of a list with cursors, one item at a time, as the Graph API pages (Paginated Results). */
const page = (items: readonly object[], query: URLSearchParams): StandInAnswer => {
  const at = Number(query.get('after') ?? 0);
  const more = at + 1 < items.length;
  return json(200, {
    data: items.slice(at, at + 1),
    paging: {
      cursors: { before: String(at), after: String(at + 1) },
      ...(more ? { next: 'https://graph.example/next' } : {}),
    },
  });
};

const numberRoutes = (account: Account): Readonly<Record<string, Answer>> => ({
  'GET phone_numbers': (_, [waba], query) =>
    waba === account.wabaId ? page([...account.numbers.values()], query) : absent,
  'POST subscribed_apps': (_, [waba]) => {
    if (waba !== account.wabaId) return absent;
    account.subscribed = true;
    return json(200, SUCCESS);
  },
  'GET whatsapp_business_profile': (_, [id = '']) => {
    const profile = account.profiles.get(id);
    return profile ? json(200, { data: [{ messaging_product: 'whatsapp', ...profile }] }) : absent;
  },
  'POST whatsapp_business_profile': (request, [id = '']) => {
    const { messaging_product: product, ...fields } = bodyOf(request);
    if (product !== 'whatsapp' || !account.profiles.has(id)) return graphError(400, 100);
    account.profiles.set(id, { ...account.profiles.get(id), ...fields });
    return json(200, SUCCESS);
  },
});

let made = 0;
const nextId = (): string => String(1_259_544_702_043_867 + ++made);

const templateRoutes = (account: Account, { wabaId, templates } = account): Readonly<Record<string, Answer>> => ({
  'POST message_templates': (request, [waba]) => {
    const { name, language, category: requested, components } = bodyOf(request) as unknown as Template;
    const known = [...templates.values()].some((each) => each.name === name && each.language === language);
    if (waba !== wabaId || !/^[a-z]{2}_[A-Z]{2}$/.test(language) || known) return graphError(400, 100, 2388024);
    const category = account.givenCategory ?? requested;
    const template = { id: nextId(), name, language, category, components, status: 'PENDING' };
    templates.set(template.id, template);
    return json(200, { id: template.id, status: 'PENDING', category });
  },
  'GET message_templates': (_, __, query) =>
    page(
      [...templates.values()].filter(({ name }) => name.startsWith(query.get('name') ?? '')),
      query,
    ),
  'DELETE message_templates': (_, __, query) =>
    templates.delete(query.get('hsm_id') ?? '') ? json(200, SUCCESS) : absent,
});

const flowRoutes = (account: Account): Readonly<Record<string, Answer>> => {
  const { flows } = account;
  const move = (id: string | undefined, from: string, to: string): StandInAnswer => {
    const flow = flows.get(id ?? '');
    if (flow?.status !== from) return graphError(400, 139_002);
    flow.status = to;
    return json(200, SUCCESS);
  };
  return {
    'POST flows': (request, [waba]) => {
      const { name, categories } = bodyOf(request) as unknown as Flow;
      if (waba !== account.wabaId || [...flows.values()].some((each) => each.name === name))
        return graphError(400, 100);
      const flow = { id: nextId(), name, categories, status: 'DRAFT' };
      flows.set(flow.id, flow);
      return json(200, { id: flow.id });
    },
    'GET flows': (_, __, query) =>
      page(
        [...flows.values()].map(({ id, name }) => ({ id, name })),
        query,
      ),
    'POST assets': ({ body, headers }, [id = '']) => {
      const flow = flows.get(id);
      const form = headers['content-type']?.startsWith('multipart/form-data; boundary=');
      const complete = ['name="asset_type"\r\n\r\nFLOW_JSON', 'filename="flow.json"'].every((part) =>
        body.includes(part),
      );
      if (!flow || !form || !complete) return graphError(400, 100);
      flow.json = /\r\n\r\n(\{.*\})\r\n/.exec(body)?.[1] ?? '';
      return json(200, { success: true, validation_errors: account.flowFaults });
    },
    'POST publish': (_, [id]) => move(id, 'DRAFT', 'PUBLISHED'),
    'POST deprecate': (_, [id]) => move(id, 'PUBLISHED', 'DEPRECATED'),
  };
};

/** `/{id}`: a template is edited, a flow is read, changed or deleted. */
const node = ({ templates, flows }: Account, request: RecordedRequest, id: string): StandInAnswer => {
  const [template, flow] = [templates.get(id), flows.get(id)];
  if (request.method === 'POST' && template) {
    Object.assign(template, bodyOf(request), { status: 'PENDING' });
    return json(200, SUCCESS);
  }
  if (!flow) return absent;
  if (request.method === 'GET') return json(200, { id, status: flow.status });
  if (flow.status !== 'DRAFT') return graphError(400, 139_001);
  if (request.method === 'DELETE') flows.delete(id);
  else Object.assign(flow, bodyOf(request));
  return json(200, SUCCESS);
};

/** Starts a stand-in of the Graph API's management of WhatsApp, which speaks its wire format. */
export const startMetaManagement = async (token: string, wabaId = '102290129340398') => {
  const account: Account = {
    wabaId,
    numbers: new Map(),
    profiles: new Map(),
    templates: new Map(),
    flows: new Map(),
    subscribed: false,
    flowFaults: [],
  };
  const routes = { ...numberRoutes(account), ...templateRoutes(account), ...flowRoutes(account) };
  const answer = (request: RecordedRequest): StandInAnswer => {
    const url = new URL(request.path, 'http://graph.example');
    const [version, id = '', edge] = url.pathname.split('/').slice(1);
    if (version !== 'v24.0') return graphError(400, 2635);
    if (edge === undefined) return node(account, request, id);
    return routes[`${request.method} ${edge}`]?.(request, [id], url.searchParams) ?? graphError(400, 2500);
  };
  const server = await startServer({
    isSend: () => true,
    check: ({ headers }) => (headers.authorization === `Bearer ${token}` ? undefined : graphError(401, 190)),
    accept: answer,
    refuse: (code) => graphError(400, Number(code)),
    throttle: () => ({
      ...graphError(400, 80_008),
      headers: { 'content-type': 'application/json', 'retry-after': String(THROTTLED_SECONDS) },
    }),
    serverError: () => graphError(500, 2),
    other: () => graphError(400, 2500),
  });
  /** Adds a number to the business account. */
  const addNumber = (id: string, fields: Record<string, unknown> = {}) => {
    account.numbers.set(id, {
      id,
      display_phone_number: '+55 11 99999-0000',
      verified_name: 'Loja Azul',
      status: 'CONNECTED',
      quality_rating: 'GREEN',
      name_status: 'APPROVED',
      whatsapp_business_manager_messaging_limit: 'TIER_2K',
      throughput: { level: 'STANDARD' },
      ...fields,
    });
    account.profiles.set(id, { about: 'Moda azul', vertical: 'RETAIL', websites: ['https://loja.example'], email: '' });
  };
  return { ...server, account, addNumber };
};
