"""The words of Assay as pure data: no I/O, no imports from the rest of the house."""
