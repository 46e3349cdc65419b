"""Putting an answer where code lives: a folder, a branch, a gist, a pull request."""
