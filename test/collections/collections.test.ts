import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { Bag, NO_PLACE, type Placed } from "../../src/collections/bag.ts";
import { Registry } from "../../src/collections/registry.ts";

interface Item extends Placed {
  readonly name: number;
}

const item = (name: number): Item => ({ name, place: NO_PLACE });
const names = (bag: Bag<Item>): number[] => bag.members().map(({ name }) => name);

describe("a bag", () => {
  test("holds what a set would, whatever comes and goes", () => {
    const steps = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 9 })));
    fc.assert(
      fc.property(steps, (all) => {
        const items = Array.from({ length: 10 }, (_, name) => item(name));
        const bag = new Bag<Item>();
        const set = new Set<number>();
        for (const [comes, name] of all) {
          const member = items[name];
          if (!member) throw new Error("no such item");
          if (!comes) {
            bag.delete(member);
            set.delete(name);
          } else if (!set.has(name)) {
            bag.add(member);
            set.add(name);
          }
          expect(new Set(names(bag))).toEqual(set);
          expect(bag.size).toBe(set.size);
        }
      }),
    );
  });

  test("may be changed while its members are gone through", () => {
    const bag = new Bag<Item>();
    for (const name of [1, 2, 3]) bag.add(item(name));
    const seen: number[] = [];
    for (const member of bag.members(({ name }) => name > 1)) {
      seen.push(member.name);
      bag.delete(member);
      bag.add(item(10 + member.name));
    }
    expect(seen).toEqual([2, 3]);
    expect(names(bag).toSorted((a, b) => a - b)).toEqual([1, 12, 13]);
  });
});

test("a registry holds what a map would", () => {
  const steps = fc.array(
    fc.tuple(fc.constantFrom("set", "delete"), fc.constantFrom("a", "b", "c"), fc.nat(5)),
  );
  fc.assert(
    fc.property(steps, (all) => {
      const registry = new Registry<number>();
      const map = new Map<string, number>();
      for (const [step, key, value] of all) {
        if (step === "set") {
          registry.set(key, value);
          map.set(key, value);
        } else {
          registry.delete(key);
          map.delete(key);
        }
        expect(registry.entries()).toEqual([...map]);
        for (const name of ["a", "b", "c"]) {
          expect(registry.get(name)).toBe(map.get(name));
          expect(registry.has(name)).toBe(map.has(name));
        }
      }
    }),
  );
});
