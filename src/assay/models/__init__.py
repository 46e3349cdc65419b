"""Language models: names to chat models, the embedded ones, their replies, their limits."""
