export async function collect<T>(values: AsyncIterable<T> | undefined): Promise<T[]> {
  const collected: T[] = [];
  for await (const value of values ?? []) collected.push(value);
  return collected;
}
