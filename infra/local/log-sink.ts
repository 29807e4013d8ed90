import { EventEmitter } from 'node:events';
import { closeSync, existsSync, openSync, renameSync, statSync, writeSync } from 'node:fs';

const FLUSH_MS = 50;
const FLUSH_CHARACTERS = 256 * 1024;
/** A log of earlier runs that grew beyond this is put aside at the start. */
const KEEP_BYTES = 64 * 1024 * 1024;

/** Where the functions' log lines go. Writing a line only appends to memory; the file is written in large pieces. */
export interface LogSink {
  /** Stands in for `process.stdout` while functions are imported: their loggers keep it. */
  readonly stream: NodeJS.WriteStream;
  close(): void;
}

const openLog = (file: string): number => {
  if (existsSync(file) && statSync(file).size > KEEP_BYTES) renameSync(file, `${file}.1`);
  return openSync(file, 'a');
};

/** Opens a sink on a file, or on this process's standard output. */
export const openLogSink = (target: { readonly file: string } | 'stdout'): LogSink => {
  const stdout = process.stdout;
  const descriptor = target === 'stdout' ? undefined : openLog(target.file);
  let pending: string[] = [];
  let size = 0;
  const flush = () => {
    if (pending.length === 0) return;
    const text = pending.join('');
    pending = [];
    size = 0;
    try {
      if (descriptor === undefined) stdout.write(text);
      else writeSync(descriptor, text);
    } catch {
      // A full disk costs log lines, not the service.
    }
  };
  const timer = setInterval(flush, FLUSH_MS).unref();
  const write = (chunk: string | Uint8Array): boolean => {
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    pending.push(text);
    size += text.length;
    if (size > FLUSH_CHARACTERS) flush();
    return true;
  };
  return {
    stream: Object.assign(new EventEmitter(), { write, isTTY: false }) as unknown as NodeJS.WriteStream,
    close: () => {
      clearInterval(timer);
      flush();
      if (descriptor !== undefined) closeSync(descriptor);
    },
  };
};
