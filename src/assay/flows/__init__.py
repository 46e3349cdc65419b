"""Graphs that turn a task into attempts and an answer, one file each."""
