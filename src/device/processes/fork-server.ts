/**
 * A compiler that is loaded once and forked for each source (ffi/host/fork_server.c, which says what goes over its pipes). Where it
 * does not serve (another system than Linux, a program that is linked statically) a command runs as a process of its own.
 */

import type { Finished } from './process.ts';

/** What can answer requests, one after the other. */
export interface ForkServer {
  /** The command run to its end; null where the server has ended instead. */
  run(command: readonly string[], input: Uint8Array): Promise<Finished | null>;
}

const WORD_BYTES = 4;

/** Starts a server of a program with the library before it. */
export function startServer(program: string, library: string): ForkServer {
  const others = process.env['LD_PRELOAD'];
  const child = Bun.spawn([program], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
    env: { ...process.env, TF_FORK_SERVER: '1', LD_PRELOAD: others ? `${library}:${others}` : library },
  });
  child.unref();
  const read = readerOf(child.stdout.getReader());
  return {
    async run(command, input) {
      child.ref();
      try {
        await child.stdin.write(requestOf(command, input)); // it rejects where the server has ended
        await child.stdin.flush();
        return await answerFrom(read);
      } catch {
        return null; // it had waited for too long, or was ended
      } finally {
        child.unref();
      }
    },
  };
}

function requestOf(command: readonly string[], input: Uint8Array): Uint8Array {
  const parts = [...command.map((text) => Buffer.from(text)), input];
  return Buffer.concat([word(command.length), ...parts.flatMap((bytes) => [word(bytes.length), bytes])]);
}

function word(value: number): Uint8Array {
  return new Uint8Array(Uint32Array.of(value).buffer);
}

type Read = (bytes: number) => Promise<Uint8Array>;

async function answerFrom(read: Read): Promise<Finished> {
  const number = async (): Promise<number> => new DataView((await read(WORD_BYTES)).slice().buffer).getUint32(0, true);
  const text = async (): Promise<string> => Buffer.from(await read(await number())).toString();
  return { code: await number(), stdout: await text(), stderr: await text() };
}

/** Reads so many bytes as are asked for; rejects where the stream ends before. */
function readerOf(stream: { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }> }): Read {
  let held: Uint8Array = new Uint8Array(0);
  return async (bytes) => {
    const parts = [held];
    for (let length = held.length; length < bytes;) {
      const { done, value } = await stream.read();
      if (done || !value) throw new Error('The compiler has ended.');
      parts.push(value);
      length += value.length;
    }
    const whole = Buffer.concat(parts);
    held = whole.subarray(bytes);
    return whole.subarray(0, bytes);
  };
}
