"""Inside the sandbox: runs a test file and reports on each of its tests.

Runs on Python 3.8 and newer (pytest wants a newer one), with the standard library alone.
"""
