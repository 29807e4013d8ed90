/**
 * The arrows between the folders: domain ← contracts | storage | providers | queues ← runtime ← functions.
 * Each rule says why it is there. `npm test` runs them and counts the modules, so that an empty run cannot pass.
 */
const packages = (...names) => `node_modules/(${names.join('|')})/`;
const only = (...allowed) => `^(${allowed.join('|')})`;

/** Folders whose imports are a closed list: what each may reach besides itself. */
const CLOSED = [
  {
    name: 'domain-is-innermost',
    comment: 'Rules know no table, queue, provider or gateway: they can be read and tested alone.',
    folder: 'shared/domain/',
    except: '^shared/domain/core/(phone|documents)\\.ts$',
    reaches: [packages('zod', 'nanoid'), '(node:)?(crypto|net)$'],
  },
  {
    name: 'domain-phone-library',
    comment: 'Numbering plans are data that somebody else keeps: one file of the domain knows the library.',
    folder: 'shared/domain/core/phone\\.ts$',
    reaches: ['shared/domain/', packages('libphonenumber-js')],
  },
  {
    name: 'domain-documents-library',
    comment: 'Check digits of CPF and CNPJ: one file of the domain knows the library.',
    folder: 'shared/domain/core/documents\\.ts$',
    reaches: ['shared/domain/', packages('cpf-cnpj-validator')],
  },
  {
    name: 'smpp-is-the-protocol-alone',
    comment: 'The protocol knows no account, message or table: a server and a client are made of it alike.',
    folder: 'shared/smpp/',
    reaches: ['shared/domain/core/', '(node:)?stream$'],
  },
  {
    name: 'contracts-declare',
    comment: 'A contract is data that the template, the document and the tests read: it runs nothing.',
    folder: 'shared/contracts/',
    reaches: ['shared/domain/', 'shared/queues/queues\\.ts$', packages('zod')],
  },
  {
    name: 'aws-is-the-wire-alone',
    comment: 'How calls to AWS are signed and sent: the clients of the table and of the queues are made of it alike.',
    folder: 'shared/aws/',
    reaches: [packages('@aws-sdk', '@smithy'), '(node:)?(crypto|https?)$'],
  },
  {
    name: 'storage-implements-ports',
    comment: 'Storage implements what the domain and the dispatcher ask for, and knows neither gateway nor provider; a due row names its work item.',
    folder: 'shared/storage/',
    reaches: ['shared/domain/', 'shared/aws/', 'shared/queues/(queues|dispatch-shard)\\.ts$', packages('@aws-sdk', '@smithy', 'zod'), '(node:)?(crypto|zlib)$'],
  },
  {
    name: 'providers-implement-ports',
    comment: 'A provider is one file behind a port: it can be replaced without touching a rule.',
    folder: 'shared/providers/',
    reaches: ['shared/domain/', 'shared/smpp/', packages('@aws-sdk', '@smithy', 'zod', 'mjml-browser'), '(node:)?[a-z0-9/_]+$'],
  },
  {
    name: 'queues-declare',
    comment: 'The queue table is read by template and runtime alike.',
    folder: 'shared/queues/',
    reaches: ['shared/domain/', 'shared/aws/', packages('@aws-sdk', 'zod')],
  },
  {
    name: 'openapi-reads-contracts',
    comment: 'The document is printed from the contracts and from nothing else; its reader shows the guides beside it.',
    folder: 'shared/openapi/',
    reaches: ['shared/contracts/', 'shared/domain/', packages('zod', 'zod-openapi', 'marked'), 'docs/(guides/|postman\\.json)', '(node:)?(fs|path)$'],
  },
  {
    name: 'functions-name-a-contract-and-call-a-rule',
    comment: 'A handler names its contract and calls one function: no client, no library of its own.',
    folder: 'functions/',
    reaches: ['shared/', 'openapi\\.json'],
  },
];

const closed = ({ name, comment, folder, except, reaches }) => ({
  name,
  comment,
  severity: 'error',
  from: { path: `^${folder}`, ...(except ? { pathNot: except } : {}) },
  to: { pathNot: only(folder, ...reaches) },
});

const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

/** The floors of the domain, from the ground up: a folder imports from those below it, and from none beside it. Types count too. */
const FLOORS = [
  { holds: 'no business: ids, errors, money, time, addresses', folders: ['core'] },
  { holds: 'the archive, the audit log, the catalogue of events, the placeholders of texts, prices, the ledger', folders: ['archive', 'audit', 'events', 'personalization', 'pricing', 'wallet'] },
  { holds: 'what a message is, and areas that stand beside messages', folders: ['message', 'links', 'access', 'contacts', 'senders', 'webhooks'] },
  { holds: 'one folder a channel, and their registry; who is meant by filters and searches; imports of files; companies and pipelines', folders: ['channels', 'audience', 'imports', 'companies', 'pipelines'] },
  { holds: "a message's events, views and timeline; the outcomes of an organization's messages; what customers did after one; named filters and lists; the cards of pipelines", folders: ['tracking', 'metrics', 'customer-events', 'segments', 'lists', 'cards'] },
  { holds: 'plan, quote, reserve, dispatch, recover; what is exported of messages; activities about cards', folders: ['sending', 'exports', 'activities'] },
  { holds: 'what callers and providers call', folders: ['api', 'inbound'] },
  { holds: 'many messages at once; accounts of SMPP', folders: ['bulk', 'push-messages', 'smpp'] },
  { holds: 'what sends by itself', folders: ['campaigns', 'journeys'] },
];

const floorRules = FLOORS.flatMap(({ holds, folders }, floor) =>
  folders.map((folder) => ({
    name: `floor-${floor}-${folder}`,
    comment: `Floor ${floor} (${holds}) imports only from below: it can be read without what stands on it.`,
    severity: 'error',
    from: { path: `^shared/domain/${folder}/` },
    to: {
      path: '^shared/domain/',
      pathNot: only(`shared/domain/${folder}/`, ...FLOORS.slice(0, floor).flatMap((below) => below.folders.map((name) => `shared/domain/${name}/`))),
    },
  })),
);

module.exports = {
  forbidden: [
    ...CLOSED.map(closed),
    ...floorRules,
    forbid(
      'domain-files-stand-on-a-floor',
      'A folder that no floor names would be held to nothing.',
      { path: '^shared/domain/', pathNot: only(...FLOORS.flatMap(({ folders }) => folders.map((name) => `shared/domain/${name}/`))) },
      {},
    ),
    forbid(
      'runtime-is-inside-shared',
      'The runtime joins everything in shared/, and is itself known to functions only.',
      { path: '^shared/runtime/' },
      { path: '^(functions|infra|test|bench)/' },
    ),
    forbid(
      'wiring-knows-no-edge',
      'Wiring joins rules with storage, queues and providers; what reads a gateway event stands above it.',
      { path: '^shared/wiring/' },
      { path: '^(shared/runtime|functions|infra|test|bench)/' },
    ),
    forbid(
      'wiring-belongs-to-the-edge',
      'What joins the parts is not for the parts.',
      { path: '^shared/(aws|domain|contracts|storage|providers|queues|openapi)/' },
      { path: '^shared/(wiring|runtime)/' },
    ),
    forbid(
      'runtime-belongs-to-functions',
      'What runs in a function is not for rules, contracts or storage. The problem document is one shape for gateway and functions.',
      { pathNot: '^(shared/runtime|functions|test|bench)/' },
      { path: '^shared/runtime/', pathNot: '^shared/runtime/problem\\.ts$' },
    ),
    forbid(
      'infra-reads-declarations',
      'The template is derived from contracts, queues and the key table: it knows no rule and no row.',
      { path: '^infra/', pathNot: '^infra/(operator|local|provisioning)/' },
      { path: '^shared/', pathNot: '^shared/(contracts/|queues/queues\\.ts|storage/(access-patterns|automation-patterns|index-patterns|sales-patterns|table-indexes)\\.ts|domain/|runtime/problem\\.ts)' },
    ),
    forbid(
      'operator-and-local-stop-at-storage',
      'The command line and the local platform work on the same rows as the service, without its functions; a registry says what a provider is set up with, and one call corrects the list of one.',
      { path: '^infra/(operator|local|provisioning)/' },
      { path: '^shared/', pathNot: '^shared/(contracts|queues|storage|domain|smpp|providers/(archive|keys))/|^shared/providers/(index|email/ses-suppression)\\.ts$|^shared/runtime/problem\\.ts' },
    ),
    forbid(
      'nothing-reaches-into-functions',
      'A function is an entry: common code belongs to shared/.',
      { pathNot: '^(functions|test)/' },
      { path: '^functions/' },
    ),
    forbid('shared-knows-no-infra', 'What is deployed does not depend on what deploys it.', { path: '^(shared|functions)/' }, { path: '^infra/' }),
    forbid('nothing-depends-on-tests', 'Tests can be left out of everything.', { pathNot: '^(test|bench)/' }, { path: '^test/' }),
    forbid(
      'aws-clients-have-their-places',
      'Clients are made and called where rows, queues and providers are, and in the template; a rule never meets one.',
      { pathNot: '^(shared/(aws|storage|queues|providers)/|infra/|test/|bench/)' },
      { path: `^${packages('@aws-sdk', '@smithy')}` },
    ),
    forbid(
      'middleware-belongs-to-the-runtime',
      'One middleware chain, in one folder; logger and metrics beside the process.',
      { pathNot: '^(shared/runtime/|shared/wiring/process/observe\\.ts$|test/)' },
      { path: `^${packages('@middy', '@aws-lambda-powertools')}` },
    ),
    forbid('cdk-belongs-to-infra', 'The template is not part of what runs.', { pathNot: '^(infra|test)/' }, { path: `^${packages('aws-cdk-lib', 'constructs')}` }),
    forbid(
      'console-talks-to-the-service-by-the-sdk',
      'What the console does, every caller can do: it knows neither rules nor rows, and the service does not know it.',
      { path: '^console/src/' },
      { path: '^(functions|shared|infra|test|bench)/' },
    ),
    forbid('nothing-reaches-into-the-console', 'It is built for a browser.', { pathNot: '^(console|test)/' }, { path: '^console/' }),
    forbid(
      'console-areas-stand-alone',
      'An area is a folder that can be added and taken away: what two of them need is in ui/ or app/.',
      { path: '^console/src/areas/([^/]+)/' },
      { path: '^console/src/areas/', pathNot: '^console/src/areas/$1/' },
    ),
    forbid(
      'console-parts-know-no-area',
      'Components and the client are for every area.',
      { path: '^console/src/(ui/|api\\.ts$)' },
      { path: '^console/src/areas/' },
    ),
    forbid('no-circular', 'Files in a circle cannot be understood one at a time; imports of types count.', {}, { circular: true }),
    {
      ...forbid('no-circular-folders', 'Folders in a circle are one folder.', { path: '^(shared|functions|infra)/' }, { circular: true }),
      scope: 'folder',
    },
    forbid('not-to-unresolvable', 'An import that leads nowhere breaks the build.', {}, { couldNotResolve: true }),
    forbid(
      'no-dev-dependency-at-run-time',
      'What functions and shared/ import is installed with the service.',
      { path: '^(shared|functions)/' },
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only', 'npm'] },
    ),
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    // The SDK is a package of its own, with checks of its own.
    doNotFollow: { path: ['node_modules', '^sdk/'] },
    exclude: { path: '^((console/)?dist|cdk\\.out|\\.build|\\.local)/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'], extensions: ['.ts', '.js', '.mjs', '.d.ts', '.json'] },
  },
};
