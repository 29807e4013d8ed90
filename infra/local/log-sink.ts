import { closeSync, existsSync, openSync, renameSync, statSync, write, writeSync } from 'node:fs';
import { Console } from 'node:console';
import { EventEmitter } from 'node:events';

const FLUSH_MS = 50;
const FLUSH_CHARACTERS = 256 * 1024;
/** A log of an earlier run that grew beyond this is put aside at the start. */
const KEEP_BYTES = 64 * 1024 * 1024;

/** Where the functions' log lines go. Writing only appends to memory; the file is written at intervals. */
export interface LogSink {
  /** Stands in for `process.stdout` while functions are imported: their loggers keep it. */
  readonly stream: NodeJS.WriteStream;
  /** For messages of the platform itself. */
  readonly console: Console;
  close(): void;
}

const openLog = (file: string): number => {
  if (existsSync(file) && statSync(file).size > KEEP_BYTES) renameSync(file, `${file}.1`);
  return openSync(file, 'a');
};

/** Opens a sink on a file, or on this process's standard output. */
export const openLogSink = (target: string | 'stdout'): LogSink => {
  const descriptor = target === 'stdout' ? 1 : openLog(target);
  let pending: string[] = [];
  let size = 0;
  let writing = false;
  const take = () => {
    const text = pending.join('');
    pending = [];
    size = 0;
    return Buffer.from(text);
  };
  const put = (bytes: Buffer, from: number): void => {
    writing = true;
    write(descriptor, bytes, from, bytes.length - from, null, (error, written) => {
      if (!error && from + written < bytes.length) return put(bytes, from + written);
      writing = false;
      if (error?.code === 'EAGAIN') pending.unshift(bytes.toString('utf8', from));
    });
  };
  const flush = () => {
    if (pending.length > 0 && !writing) put(take(), 0);
  };
  const timer = setInterval(flush, FLUSH_MS).unref();
  const stream = Object.assign(new EventEmitter(), {
    write: (text: string | Uint8Array) => {
      const line = typeof text === 'string' ? text : Buffer.from(text).toString();
      pending.push(line);
      size += line.length;
      if (size > FLUSH_CHARACTERS) flush();
      return true;
    },
    isTTY: false,
  }) as unknown as NodeJS.WriteStream;
  return {
    stream,
    console: new Console({ stdout: stream, stderr: stream }),
    close: () => {
      clearInterval(timer);
      if (pending.length > 0) writeSync(descriptor, take());
      if (target !== 'stdout') closeSync(descriptor);
    },
  };
};
