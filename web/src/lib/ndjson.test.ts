import { describe, expect, it } from "vitest";
import { jsonLines, textLines } from "./ndjson";

function stream(chunks: Uint8Array[], onCancel = () => {}): ReadableStream<Uint8Array> {
  const left = [...chunks];
  return new ReadableStream({
    pull(controller) {
      const chunk = left.shift();
      if (chunk) controller.enqueue(chunk);
      else controller.close();
    },
    cancel: onCancel,
  });
}

describe("JSON lines", () => {
  const text = '{"a":1}\n{"b":"é→"}\n\n{"c":3}';
  const bytes = new TextEncoder().encode(text);

  it("are the same however the bytes are cut", async () => {
    for (const size of [1, 2, 3, 7, 100]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.slice(i * size, (i + 1) * size));
      const got: unknown[] = [];
      for await (const line of jsonLines(stream(chunks))) got.push(line);
      expect(got).toEqual([{ a: 1 }, { b: "é→" }, { c: 3 }]);
    }
  });

  it("stopping early tells the sender", async () => {
    let cancelled = false;
    const many = Array.from({ length: 100 }, () => new TextEncoder().encode("1\n"));
    for await (const line of textLines(stream(many, () => (cancelled = true)))) {
      expect(line).toBe("1");
      break;
    }
    expect(cancelled).toBe(true);
  });
});
