"""A chat in the terminal: choose a corpus, then ask."""

import asyncio
import os

from client import Vectara


async def answer(vectara, corpus, query):
    """The whole answer, shown as it comes."""
    parts = []
    async for part in vectara.ask(corpus, query):
        print(part, end="", flush=True)
        parts.append(part)
    print()
    return "".join(parts)


def choose(names, wanted):
    """The key of the corpus that is chosen by its number or name."""
    keys = list(names)
    if wanted.isdigit() and 0 < int(wanted) <= len(keys):
        return keys[int(wanted) - 1]
    for key, name in names.items():
        if name.lower() == wanted.lower():
            return key
    raise KeyError(wanted)


def main():
    vectara = Vectara(os.environ["VECTARA_API_KEY"])
    names = vectara.corpora()
    for number, name in enumerate(names.values(), 1):
        print(number, name)
    corpus = choose(names, input("Corpus: "))
    while query := input("> "):
        asyncio.run(answer(vectara, corpus, query))


if __name__ == "__main__" and "VECTARA_API_KEY" in os.environ:
    main()
