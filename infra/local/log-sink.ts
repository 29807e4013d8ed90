import { EventEmitter } from 'node:events';
import { closeSync, existsSync, openSync, renameSync, statSync, writeSync } from 'node:fs';

const FLUSH_MS = 50;
const FLUSH_CHARACTERS = 256 * 1024;
/** A log file beyond this size, in bytes, is rotated at the start. */
const KEEP_BYTES = 64 * 1024 * 1024;

/** Destination of the functions' log lines. Lines are buffered in memory and flushed in large writes. */
export interface LogSink {
  /** Replaces `process.stdout` while functions are imported; their loggers keep it. */
  readonly stream: NodeJS.WriteStream;
  close(): void;
}

const openLog = (file: string): number => {
  if (existsSync(file) && statSync(file).size > KEEP_BYTES) renameSync(file, `${file}.1`);
  return openSync(file, 'a');
};

/** Opens a sink to a file or to this process's standard output. */
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
      // A full disk loses log lines, but does not stop the service.
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
