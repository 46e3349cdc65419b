"""Models that run on this machine: llama.cpp in a process of its own, shared by all of Assay's."""
