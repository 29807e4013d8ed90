import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** A name server's answer: addresses by family, texts, none at all, or that there is no such name. */
export type Answer =
  | { readonly a?: readonly string[]; readonly aaaa?: readonly string[]; readonly txt?: readonly string[] }
  | 'silent'
  | 'none';

const A = 1;
const TXT = 16;
const AAAA = 28;
const NXDOMAIN = 3;

const record = (type: number, data: Buffer) => {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0); // the question's name
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
};
const ipv4 = (ip: string) => Buffer.from(ip.split('.').map(Number));
const ipv6 = (ip: string) =>
  Buffer.from(ip.split(':').flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]));
/** A text of at most 255 octets. */
const text = (value: string) => Buffer.concat([Buffer.of(value.length), Buffer.from(value)]);

/** The name and the end of the first question (RFC 1035, 4.1.2). */
const questionOf = (query: Buffer) => {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
};

/** A name server on loopback. Addresses of the second family are written in full, eight groups. */
export const nameServer = async (answer: (name: string) => Answer) => {
  const queries: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = questionOf(query);
    queries.push(name);
    const found = answer(name);
    if (found === 'silent') return;
    const { a = [], aaaa = [], txt = [] } = found === 'none' ? {} : found;
    const records = type === A ? a.map((ip) => record(A, ipv4(ip))) : [];
    if (type === AAAA) records.push(...aaaa.map((ip) => record(AAAA, ipv6(ip))));
    if (type === TXT) records.push(...txt.map((value) => record(TXT, text(value))));
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(0x8180 | (found === 'none' ? NXDOMAIN : 0), 2);
    head.writeUInt16BE(records.length, 6);
    head.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([head, query.subarray(12, end), ...records]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { server: `127.0.0.1:${socket.address().port}`, queries, close: () => void socket.close() };
};
