// Streams of JSON lines. Lines are handed out one by one: who reads slowly slows the sender down.

/** Cuts chunks of bytes into lines; the last one need not end. */
export async function* textLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = rest.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line.trim()) yield line;
      if (done) break;
    }
    if (rest.trim()) yield rest;
  } finally {
    // Whoever stops early does not want the remainder: the server may stop working.
    await reader.cancel().catch(() => undefined);
  }
}

export async function* jsonLines<T>(stream: ReadableStream<Uint8Array>): AsyncGenerator<T> {
  for await (const line of textLines(stream)) yield JSON.parse(line) as T;
}
