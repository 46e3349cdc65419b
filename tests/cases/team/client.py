"""Talks to Vectara: corpora over REST, answers to queries over a websocket."""

import json

import httpx
import websockets

REST = "https://api.vectara.io/v2"
LIVE = "wss://api.vectara.io/v2/query"


class Vectara:
    """A client of one account."""

    def __init__(self, key, rest=REST, live=LIVE):
        self.key = key
        self.rest = rest
        self.live = live

    def corpora(self):
        """Names of the corpora, by their keys."""
        answer = httpx.get(f"{self.rest}/corpora", headers={"x-api-key": self.key})
        answer.raise_for_status()
        return {one["key"]: one["name"] for one in answer.json()["corpora"]}

    def find_corpus(self, name):
        """The key of the corpus of this name."""
        for key, known in self.corpora().items():
            if known.lower() == name.lower():
                return key
        raise KeyError(name)

    async def ask(self, corpus, query):
        """Yield pieces of the answer as they come."""
        headers = {"x-api-key": self.key}
        async with websockets.connect(self.live, additional_headers=headers) as socket:
            await socket.send(json.dumps({"corpus_key": corpus, "query": query}))
            async for message in socket:
                part = json.loads(message)
                if part["type"] == "end":
                    return
                yield part["text"]
