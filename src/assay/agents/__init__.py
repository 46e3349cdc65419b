"""One file a role; what they say to a model is in prompts/."""
