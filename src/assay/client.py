"""Assay from Python: what the command line and other programs build on."""
